/* The parts of the gw plugin, each against numbers of another implementation:
   wave, detectors, noise curve, filters. */
#include "gw/chirp.h"
#include "gw/noise.h"
#include "gw/whiten.h"
#include "gw/window.h"
#include "gw_vectors.h"

static struct gw_qnm qnm;

static struct gw_phenom wave_of(const struct gw_event *event)
{
    struct gw_phenom wave;

    gw_phenom_init(&wave, &qnm, event->m1, event->m2, event->spin1,
                   event->spin2);
    return wave;
}

/* Calls visit(set, event, wave) for the six sets of parameters. */
static void for_each_set(void (*visit)(const ref *, const struct gw_event *,
                                       const struct gw_phenom *))
{
    ref *root = ref_load("gw.json");
    size_t n = ref_count(ref_at(root, "sets"));

    assert_int_equal(n, 6);
    for (size_t i = 0; i < n; i++) {
        const ref *set = ref_at(root, "sets/%zu", i);
        struct gw_event event = vector_event(ref_at(set, "params"));
        struct gw_phenom wave = wave_of(&event);

        visit(set, &event, &wave);
    }
    ref_free(root);
}

static void check_list(const ref *set, const char *name, size_t n,
                       const double *got)
{
    double want[20];

    assert_true(n <= 20);
    ref_numbers(ref_at(set, "%s", name), n, want);
    for (size_t i = 0; i < n; i++)
        assert_near(got[i], want[i], 1e-9);
}

static void check_model(const ref *set, const struct gw_event *event,
                        const struct gw_phenom *wave)
{
    static const char *const names[GW_FITS] = {
        "rho1",   "rho2",   "rho3",   "v2",     "gamma1", "gamma2", "gamma3",
        "sigma1", "sigma2", "sigma3", "sigma4", "beta1",  "beta2",  "beta3",
        "alpha1", "alpha2", "alpha3", "alpha4", "alpha5"};
    const double joins[] = {wave->c1, wave->c2, wave->d1, wave->d2};

    (void)event;
    for (int i = 0; i < GW_FITS; i++)
        assert_near(wave->fit[i],
                    ref_number(ref_at(set, "coeffs/%s", names[i])), 1e-9);
    assert_near(wave->eta, ref_number(ref_at(set, "eta")), 1e-14);
    assert_near(wave->final_spin, ref_number(ref_at(set, "a_final")), 1e-9);
    assert_near(wave->radiated, ref_number(ref_at(set, "E_rad")), 1e-9);
    assert_near(wave->ring, ref_number(ref_at(set, "Mf_ring")), 1e-9);
    assert_near(wave->damp, ref_number(ref_at(set, "Mf_damp")), 1e-9);
    assert_near(wave->peak, ref_number(ref_at(set, "Mf_peak")), 1e-9);
    assert_near(wave->t0, ref_number(ref_at(set, "t0")), 1e-9);
    check_list(set, "pn", 8, wave->pn);
    check_list(set, "pn_log", 8, wave->pn_log);
    check_list(set, "amp_inspiral", 10, wave->inspiral);
    check_list(set, "delta", 5, wave->between);
    check_list(set, "phase_join", 4, joins);
}

static void model_has_the_published_coefficients(void **state)
{
    (void)state;
    for_each_set(check_model);
}

static void check_start(const ref *set, const struct gw_event *event,
                        const struct gw_phenom *wave)
{
    struct gw_start start;

    (void)event;
    assert_near(gw_chirp_duration(wave, 20),
                ref_number(ref_at(set, "chirp_time_20hz")), 1e-9);
    assert_true(gw_chirp_start(wave, &start));
    assert_near(start.f, ref_number(ref_at(set, "f_start")), 1e-14);
    assert_int_equal(start.n, (int)ref_number(ref_at(set, "N")));
}

static void signals_start_where_the_reference_does(void **state)
{
    (void)state;
    for_each_set(check_start);
}

/* A detector that hears one polarisation only gives that polarisation. */
static void check_polarisations(const ref *set, const struct gw_event *event,
                                const struct gw_phenom *wave)
{
    static const char *const names[] = {"hplus", "hcross"};
    const struct gw_hearing hearing[] = {{1, 0, 0}, {0, 1, 0}};
    double f[20], want[40];

    ref_numbers(ref_at(set, "f_hz"), 20, f);
    for (int p = 0; p < 2; p++) {
        struct gw_complex factor = gw_event_project(event, &hearing[p]);

        ref_numbers(ref_at(set, "%s", names[p]), 40, want);
        for (int i = 0; i < 20; i++) {
            struct gw_complex h = gw_phenom_strain(wave, f[i], event->phase);
            double size = hypot(want[2 * i], want[2 * i + 1]);

            gw_scale(1, factor, &h, &h);
            assert_true(size > 0);
            assert_close((h.re - want[2 * i]) / size, 0, 1e-9);
            assert_close((h.im - want[2 * i + 1]) / size, 0, 1e-9);
        }
    }
}

static void strain_agrees_at_all_frequencies(void **state)
{
    (void)state;
    for_each_set(check_polarisations);
}

static void check_hearing(const ref *set, const struct gw_event *event,
                          const struct gw_phenom *wave)
{
    (void)wave;
    for (int site = 0; site < GW_SITES; site++) {
        const ref *want = ref_at(set, "detectors/%s", site_names[site]);
        struct gw_hearing h =
            gw_detector_hear((enum gw_site)site, &event->source);

        assert_near(h.plus, ref_number(ref_at(want, "fplus")), 1e-9);
        assert_near(h.cross, ref_number(ref_at(want, "fcross")), 1e-9);
        assert_near(h.delay, ref_number(ref_at(want, "delay_from_h1_s")), 1e-9);
    }
}

static void antennas_and_delays_agree(void **state)
{
    (void)state;
    for_each_set(check_hearing);
}

/* Value and slope where pieces meet; the slope by central differences. */
static void check_joins(const ref *set, const struct gw_event *event,
                        const struct gw_phenom *wave)
{
    const double meet[] = {0.014, 0.018, wave->peak, wave->ring / 2};
    const double h = 1e-9;

    (void)set;
    (void)event;
    for (int i = 0; i < 4; i++) {
        double f = meet[i], low = f - h, high = f + h;

        assert_close(gw_amplitude(wave, low, cbrt(low)) /
                         gw_amplitude(wave, high, cbrt(high)),
                     1, 1e-5);
        assert_close(gw_phase(wave, high, cbrt(high)) -
                         gw_phase(wave, low, cbrt(low)) -
                         2 * h * gw_phase_slope(wave, f),
                     0, 1e-10);
        assert_close(gw_phase_slope(wave, low) / gw_phase_slope(wave, high), 1,
                     1e-5);
    }
    for (double f = 0.005; f < 0.2; f *= 1.17) {
        double step = 1e-5 * f, low = f - step, high = f + step;
        double slope = (gw_phase(wave, high, cbrt(high)) -
                        gw_phase(wave, low, cbrt(low))) /
                       (2 * step);

        assert_close(gw_phase_slope(wave, f) / slope, 1, 1e-5);
    }
}

static void pieces_join_smoothly(void **state)
{
    (void)state;
    for_each_set(check_joins);
}

static void bodies_may_be_exchanged(void **state)
{
    (void)state;
    for (double m2 = 12; m2 < 80; m2 += 9) {
        struct gw_event event = {
            .m1 = 45, .m2 = m2, .spin1 = 0.7, .spin2 = -0.3};
        struct gw_event other = {
            .m1 = m2, .m2 = 45, .spin1 = -0.3, .spin2 = 0.7};
        struct gw_phenom a = wave_of(&event), b = wave_of(&other);

        assert_memory_equal(&a, &b, sizeof a);
    }
    /* Of equal masses neither is the heavier: equal but for rounding. */
    struct gw_event event = {.m1 = 45, .m2 = 45, .spin1 = 0.7, .spin2 = -0.3};
    struct gw_event other = {.m1 = 45, .m2 = 45, .spin1 = -0.3, .spin2 = 0.7};
    struct gw_phenom a = wave_of(&event), b = wave_of(&other);

    for (double f = 15; f < 440; f *= 1.1) {
        struct gw_complex x = gw_phenom_strain(&a, f, 1);
        struct gw_complex y = gw_phenom_strain(&b, f, 1);
        double size = hypot(x.re, x.im);

        assert_close((x.re - y.re) / size, 0, 1e-11);
        assert_close((x.im - y.im) / size, 0, 1e-11);
    }
}

static void wave_ends_where_the_model_does(void **state)
{
    struct gw_event event = {.m1 = 50, .m2 = 30};
    struct gw_phenom wave = wave_of(&event);
    double end = GW_PHENOM_END / wave.mass;
    struct gw_complex inside = gw_phenom_strain(&wave, end * 0.999, 0);
    struct gw_complex outside = gw_phenom_strain(&wave, end * 1.001, 0);

    (void)state;
    assert_true(hypot(inside.re, inside.im) > 0);
    assert_true(outside.re == 0 && outside.im == 0);
}

static void ringdown_goes_through_its_table(void **state)
{
    /* Rows of the published table, first and last ones included. */
    const double rows[][3] = {{-1, 0.0464014, 0.0140098},
                              {-0.998, 0.0464197, 0.0140106},
                              {0.996, 0.1456111, 0.0031618},
                              {1, 0.1579619, 0.0002908}};
    double ring, damp;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gw_qnm_evaluate(&qnm, rows[i][0], &ring, &damp);
        assert_near(ring, rows[i][1], 1e-12);
        assert_near(damp, rows[i][2], 1e-12);
    }
    /* Natural: the curvature rises from zero, in proportion to the distance
       from the end; within the first interval second differences show it. */
    double at[4];

    for (int i = 0; i < 4; i++)
        gw_qnm_evaluate(&qnm, -1 + 2e-4 * i, &at[i], &damp);
    assert_near(at[1] - 2 * at[2] + at[3], 2 * (at[0] - 2 * at[1] + at[2]),
                1e-6);
    /* No rotation: omega = 0.3736717 - 0.0889623 i in units of the mass. */
    gw_qnm_evaluate(&qnm, 0, &ring, &damp);
    assert_near(2 * GW_PI * ring, 0.3736717, 1e-5);
    assert_near(2 * GW_PI * damp, 0.0889623, 1e-3);
}

static void noise_curve_is_the_design(void **state)
{
    ref *root = ref_load("gw.json");
    double f[11], want[11];

    (void)state;
    ref_numbers(ref_at(root, "psd/f_hz"), 11, f);
    ref_numbers(ref_at(root, "psd/S"), 11, want);
    for (int i = 0; i < 11; i++)
        assert_near(gw_noise_density(f[i]), want[i], 1e-9);
    ref_free(root);
}

static void highpass_has_its_taps_and_response(void **state)
{
    static const int taps_at[] = {0, 1, 2, 10, 100, 511, 512};
    static const int f_at[] = {5, 10, 15, 18, 19, 20, 21, 22, 25, 50, 500};
    ref *root = ref_load("gw.json");
    double taps[GW_HIGHPASS_REACH + 1];
    struct gw_whiten whiten;

    (void)state;
    gw_highpass_taps(taps);
    for (size_t i = 0; i < sizeof taps_at / sizeof taps_at[0]; i++)
        assert_close(taps[taps_at[i]],
                     ref_number(ref_at(root, "highpass/taps/%d", taps_at[i])),
                     1e-14);
    assert_true(gw_whiten_init(&whiten));
    for (size_t i = 0; i < sizeof f_at / sizeof f_at[0]; i++)
        assert_close(whiten.highpass[32 * f_at[i]],
                     ref_number(ref_at(root, "highpass/response/%d", f_at[i])),
                     1e-13);
    assert_close(whiten.highpass[GW_LONG_BINS - 1], 1, 1e-13);
    gw_whiten_clear(&whiten);
    ref_free(root);
}

static void delays_turn_every_bin(void **state)
{
    enum { N = 1000 }; /* not a multiple of the tables' length */
    struct gw_complex spectrum[N];
    const double angle = 0.61803;

    (void)state;
    for (int k = 0; k < N; k++)
        spectrum[k] = (struct gw_complex){2, 1};
    gw_delay(N, angle, spectrum);
    for (int k = 0; k < N; k++) {
        double c = cos(angle * k), s = sin(angle * k);

        assert_close(spectrum[k].re, 2 * c + s, 1e-12);
        assert_close(spectrum[k].im, c - 2 * s, 1e-12);
    }
}

static void medians_are_the_eighth_of_fifteen(void **state)
{
    static double rows[GW_SEGMENTS * GW_ROW], copy[GW_SEGMENTS * GW_ROW];
    uint32_t word = 1;
    const double *median;

    (void)state;
    for (size_t i = 0; i < GW_SEGMENTS * GW_ROW; i++) {
        word = word * 1664525u + 1013904223u;
        copy[i] = rows[i] = word >> 27; /* few values: many ties */
    }
    median = gw_medians(rows);
    for (size_t k = 0; k < GW_ROW; k++) {
        int below = 0, above = 0;

        for (size_t s = 0; s < GW_SEGMENTS; s++) {
            below += copy[s * GW_ROW + k] < median[k];
            above += copy[s * GW_ROW + k] > median[k];
        }
        assert_true(below <= GW_SEGMENTS / 2 && above <= GW_SEGMENTS / 2);
        assert_true(below + above < GW_SEGMENTS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_has_the_published_coefficients),
        cmocka_unit_test(signals_start_where_the_reference_does),
        cmocka_unit_test(strain_agrees_at_all_frequencies),
        cmocka_unit_test(antennas_and_delays_agree),
        cmocka_unit_test(pieces_join_smoothly),
        cmocka_unit_test(bodies_may_be_exchanged),
        cmocka_unit_test(wave_ends_where_the_model_does),
        cmocka_unit_test(ringdown_goes_through_its_table),
        cmocka_unit_test(noise_curve_is_the_design),
        cmocka_unit_test(highpass_has_its_taps_and_response),
        cmocka_unit_test(delays_turn_every_bin),
        cmocka_unit_test(medians_are_the_eighth_of_fifteen),
    };

    gw_qnm_init(&qnm);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
