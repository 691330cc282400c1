/* _bnre.c - the flat part of the library (bnre/flat.h) for Python.

   Nothing but bnre/flat.h and the stable ABI of Python 3.9. Handles are
   capsules, arrays come as the addresses that __array_interface__ tells, and
   long work runs without the interpreter's lock: it tells of itself by a job,
   which another thread looks at, and is stopped by it. The Python files beside
   it call all of this, and nobody else should. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/flat.h"

/* Makes an exception from a status and a message; set by bnre/_errors.py. */
static PyObject *make_error;

static PyObject *fail(bnre_status status)
{
    PyObject *error = NULL;

    if (make_error != NULL)
        error = PyObject_CallFunction(make_error, "is", (int)status,
                                      bnre_error_message());
    if (error != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        Py_DECREF(error);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_RuntimeError, bnre_error_message());
    }
    return NULL;
}

/* A text of the library as an object of Python; it is freed. */
static PyObject *take_text(char *text)
{
    PyObject *out = PyUnicode_FromString(text == NULL ? "null" : text);

    bnre_free(text);
    return out;
}

static PyObject *set_errors(PyObject *self, PyObject *make)
{
    (void)self;
    Py_XDECREF(make_error);
    Py_INCREF(make);
    make_error = make;
    Py_RETURN_NONE;
}

/* ---- jobs ---- */

enum { STATE = 200, NOTES = 64 };

struct job {
    pthread_mutex_t lock;
    size_t done, total;
    char state[STATE];
    char *note[NOTES]; /* those that nobody has taken yet */
    size_t notes;
    int stop;
};

static void free_job(PyObject *capsule)
{
    struct job *job = PyCapsule_GetPointer(capsule, "bnre.job");

    if (job == NULL)
        return;
    for (size_t i = 0; i < job->notes; i++)
        free(job->note[i]);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

static PyObject *job_new(PyObject *self, PyObject *none)
{
    struct job *job = calloc(1, sizeof *job);

    (void)self;
    (void)none;
    if (job == NULL)
        return PyErr_NoMemory();
    pthread_mutex_init(&job->lock, NULL);
    return PyCapsule_New(job, "bnre.job", free_job);
}

static struct job *job_of(PyObject *capsule)
{
    return capsule == Py_None ? NULL
                              : PyCapsule_GetPointer(capsule, "bnre.job");
}

static PyObject *job_stop(PyObject *self, PyObject *capsule)
{
    struct job *job = job_of(capsule);

    (void)self;
    if (job == NULL)
        return NULL;
    pthread_mutex_lock(&job->lock);
    job->stop = 1;
    pthread_mutex_unlock(&job->lock);
    Py_RETURN_NONE;
}

/* (done, total, state, [notes]); the notes are handed over. */
static PyObject *job_look(PyObject *self, PyObject *capsule)
{
    struct job *job = job_of(capsule);
    PyObject *list, *text, *state, *out;

    (void)self;
    if (job == NULL || (list = PyList_New(0)) == NULL)
        return NULL;
    pthread_mutex_lock(&job->lock);
    for (size_t i = 0; i < job->notes; i++) {
        text = PyUnicode_DecodeUTF8(
            job->note[i], (Py_ssize_t)strlen(job->note[i]), "replace");
        if (text != NULL)
            (void)PyList_Append(list, text);
        Py_XDECREF(text);
        free(job->note[i]);
    }
    job->notes = 0;
    state = PyUnicode_DecodeUTF8(job->state, (Py_ssize_t)strlen(job->state),
                                 "replace"); /* it may end within a letter */
    out = Py_BuildValue("nnNN", (Py_ssize_t)job->done, (Py_ssize_t)job->total,
                        state, list);
    pthread_mutex_unlock(&job->lock);
    return out;
}

/* Called by the work, from whatever thread, without the interpreter. */
static int tell(void *user, const char *kind, const char *text, size_t done,
                size_t total)
{
    struct job *job = user;
    int stop;

    pthread_mutex_lock(&job->lock);
    if (strcmp(kind, "progress") == 0) {
        job->done = done;
        job->total = total;
    } else if (text != NULL && strcmp(kind, "state") == 0) {
        strncpy(job->state, text, STATE - 1);
    } else if (text != NULL && job->notes < NOTES) {
        job->note[job->notes] = malloc(strlen(text) + 1);
        if (job->note[job->notes] != NULL)
            strcpy(job->note[job->notes++], text);
    }
    stop = job->stop;
    pthread_mutex_unlock(&job->lock);
    return stop;
}

/* ---- commands ---- */

static PyObject *version(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    return PyUnicode_FromString(bnre_version());
}

/* call(verb, settings, job) -> (status, message, result) */
static PyObject *call(PyObject *self, PyObject *args)
{
    const char *verb, *settings;
    PyObject *capsule;
    struct job *job;
    bnre_status status;
    char *result = NULL;
    PyObject *out;

    (void)self;
    if (!PyArg_ParseTuple(args, "szO", &verb, &settings, &capsule))
        return NULL;
    job = job_of(capsule);
    if (job == NULL && PyErr_Occurred())
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        bnre_call(verb, settings, job != NULL ? tell : NULL, job, &result);
    Py_END_ALLOW_THREADS if (status != BNRE_OK &&
                             result == NULL) return fail(status);
    out = Py_BuildValue("isN", (int)status,
                        status == BNRE_OK ? "" : bnre_error_message(),
                        take_text(result));
    return out;
}

static PyObject *options(PyObject *self, PyObject *args)
{
    const char *verb;
    char *result = NULL;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "s", &verb))
        return NULL;
    status = bnre_call_options(verb, &result);
    return status == BNRE_OK ? take_text(result) : fail(status);
}

static PyObject *verbs(PyObject *self, PyObject *none)
{
    PyObject *list = PyList_New(0), *text;
    const char *name;

    (void)self;
    (void)none;
    for (size_t i = 0; list != NULL && (name = bnre_call_verb(i)) != NULL;
         i++) {
        text = PyUnicode_FromString(name);
        if (text != NULL)
            (void)PyList_Append(list, text);
        Py_XDECREF(text);
    }
    return list;
}

/* ---- models ---- */

#define MODEL "bnre.model"

static void free_model(PyObject *capsule)
{
    bnre_model_close(PyCapsule_GetPointer(capsule, MODEL));
}

static PyObject *model_open(PyObject *self, PyObject *args)
{
    const char *path;
    Py_ssize_t threads;
    bnre_model *model = NULL;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "sn", &path, &threads))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        bnre_model_open(path, (size_t)threads, &model);
    Py_END_ALLOW_THREADS return status == BNRE_OK
        ? PyCapsule_New(model, MODEL, free_model)
        : fail(status);
}

static PyObject *model_json(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const char *which;
    bnre_model *model;
    bnre_status status;
    char *json = NULL;

    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &which) ||
        (model = PyCapsule_GetPointer(capsule, MODEL)) == NULL)
        return NULL;
    status = strcmp(which, "certificate") == 0
                 ? bnre_model_certificate(model, &json)
             : strcmp(which, "history") == 0 ? bnre_model_history(model, &json)
                                             : bnre_model_text(model, &json);
    return status == BNRE_OK ? take_text(json) : fail(status);
}

/* model_log_ratio(model, n, theta, rows, x, out, gradient or 0) */
static PyObject *model_log_ratio(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t n, rows, theta, x, out, gradient;
    bnre_model *model;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "Onnnnnn", &capsule, &n, &theta, &rows, &x,
                          &out, &gradient) ||
        (model = PyCapsule_GetPointer(capsule, MODEL)) == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = bnre_model_log_ratio(
        model, (size_t)n, (const double *)theta, (size_t)rows,
        (const double *)x, (double *)out, (double *)gradient);
    Py_END_ALLOW_THREADS if (status != BNRE_OK) return fail(status);
    Py_RETURN_NONE;
}

/* model_prior(model, n, theta, out or 0, seed, first): log densities into out,
   or draws into theta. */
static PyObject *model_prior(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t n, theta, out;
    unsigned long long seed, first;
    bnre_model *model;

    (void)self;
    if (!PyArg_ParseTuple(args, "OnnnKK", &capsule, &n, &theta, &out, &seed,
                          &first) ||
        (model = PyCapsule_GetPointer(capsule, MODEL)) == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS if (out != 0) bnre_model_log_prior(
        model, (size_t)n, (const double *)theta, (double *)out);
    else bnre_model_draw_prior(model, seed, first, (size_t)n, (double *)theta);
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

/* ---- posteriors ---- */

#define OBSERVED "bnre.observed"

static void free_observed(PyObject *capsule)
{
    bnre_observed_close(PyCapsule_GetPointer(capsule, OBSERVED));
    /* the model that it needs is the context */
    Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

/* observed_open(model, rows, x, settings, job) */
static PyObject *observed_open(PyObject *self, PyObject *args)
{
    PyObject *capsule, *job_capsule, *out;
    Py_ssize_t rows, x;
    const char *settings;
    bnre_observed *observed = NULL;
    bnre_model *model;
    struct job *job;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "OnnzO", &capsule, &rows, &x, &settings,
                          &job_capsule) ||
        (model = PyCapsule_GetPointer(capsule, MODEL)) == NULL)
        return NULL;
    job = job_of(job_capsule);
    if (job == NULL && PyErr_Occurred())
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        bnre_observed_open(model, (size_t)rows, (const double *)x, settings,
                           job != NULL ? tell : NULL, job, &observed);
    Py_END_ALLOW_THREADS if (status != BNRE_OK) return fail(status);
    out = PyCapsule_New(observed, OBSERVED, free_observed);
    if (out != NULL) {
        Py_INCREF(capsule);
        PyCapsule_SetContext(out, capsule);
    }
    return out;
}

static PyObject *observed_json(PyObject *self, PyObject *capsule)
{
    bnre_observed *observed = PyCapsule_GetPointer(capsule, OBSERVED);
    bnre_status status;
    char *json = NULL;

    (void)self;
    if (observed == NULL)
        return NULL;
    status = bnre_observed_text(observed, &json);
    return status == BNRE_OK ? take_text(json) : fail(status);
}

/* observed_sample(observed, seed, n, theta) */
static PyObject *observed_sample(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    unsigned long long seed;
    Py_ssize_t n, theta;
    bnre_observed *observed;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "OKnn", &capsule, &seed, &n, &theta) ||
        (observed = PyCapsule_GetPointer(capsule, OBSERVED)) == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        bnre_observed_sample(observed, seed, (size_t)n, (double *)theta);
    Py_END_ALLOW_THREADS if (status != BNRE_OK) return fail(status);
    Py_RETURN_NONE;
}

/* observed_level(observed, n, theta, out) */
static PyObject *observed_level(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t n, theta, out;
    bnre_observed *observed;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "Onnn", &capsule, &n, &theta, &out) ||
        (observed = PyCapsule_GetPointer(capsule, OBSERVED)) == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = bnre_observed_level(
        observed, (size_t)n, (const double *)theta, (double *)out);
    Py_END_ALLOW_THREADS if (status != BNRE_OK) return fail(status);
    Py_RETURN_NONE;
}

static PyObject *observed_region(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    double level, threshold, mass;
    bnre_observed *observed;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "Od", &capsule, &level) ||
        (observed = PyCapsule_GetPointer(capsule, OBSERVED)) == NULL)
        return NULL;
    status = bnre_observed_region(observed, level, &threshold, &mass);
    return status == BNRE_OK ? Py_BuildValue("dd", threshold, mass)
                             : fail(status);
}

/* ---- datasets ---- */

#define DATASET "bnre.dataset"

static void free_dataset(PyObject *capsule)
{
    bnre_dataset_close(PyCapsule_GetPointer(capsule, DATASET));
}

static PyObject *dataset_open(PyObject *self, PyObject *args)
{
    const char *path;
    bnre_dataset *data = NULL;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = bnre_dataset_open(path, &data);
    Py_END_ALLOW_THREADS return status == BNRE_OK
        ? PyCapsule_New(data, DATASET, free_dataset)
        : fail(status);
}

static PyObject *dataset_json(PyObject *self, PyObject *capsule)
{
    bnre_dataset *data = PyCapsule_GetPointer(capsule, DATASET);
    bnre_status status;
    char *json = NULL;

    (void)self;
    if (data == NULL)
        return NULL;
    status = bnre_dataset_json(data, &json);
    return status == BNRE_OK ? take_text(json) : fail(status);
}

/* dataset_read(data, first, n, theta or 0, x or 0, status or 0) */
static PyObject *dataset_read(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t first, n, theta, x, failed;
    bnre_dataset *data;
    bnre_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "Onnnnn", &capsule, &first, &n, &theta, &x,
                          &failed) ||
        (data = PyCapsule_GetPointer(capsule, DATASET)) == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        bnre_dataset_read(data, (size_t)first, (size_t)n, (double *)theta, NULL,
                          (double *)x, (uint8_t *)failed);
    Py_END_ALLOW_THREADS if (status != BNRE_OK) return fail(status);
    Py_RETURN_NONE;
}

/* ---- the module ---- */

static PyMethodDef methods[] = {
    {"set_errors", set_errors, METH_O, NULL},
    {"job_new", job_new, METH_NOARGS, NULL},
    {"job_stop", job_stop, METH_O, NULL},
    {"job_look", job_look, METH_O, NULL},
    {"version", version, METH_NOARGS, NULL},
    {"call", call, METH_VARARGS, NULL},
    {"options", options, METH_VARARGS, NULL},
    {"verbs", verbs, METH_NOARGS, NULL},
    {"model_open", model_open, METH_VARARGS, NULL},
    {"model_json", model_json, METH_VARARGS, NULL},
    {"model_log_ratio", model_log_ratio, METH_VARARGS, NULL},
    {"model_prior", model_prior, METH_VARARGS, NULL},
    {"observed_open", observed_open, METH_VARARGS, NULL},
    {"observed_json", observed_json, METH_O, NULL},
    {"observed_sample", observed_sample, METH_VARARGS, NULL},
    {"observed_level", observed_level, METH_VARARGS, NULL},
    {"observed_region", observed_region, METH_VARARGS, NULL},
    {"dataset_open", dataset_open, METH_VARARGS, NULL},
    {"dataset_json", dataset_json, METH_O, NULL},
    {"dataset_read", dataset_read, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT,
                                    "bnre._bnre",
                                    "The library, for the files beside it.",
                                    -1,
                                    methods,
                                    NULL,
                                    NULL,
                                    NULL,
                                    NULL};

PyMODINIT_FUNC PyInit__bnre(void);

PyMODINIT_FUNC PyInit__bnre(void)
{
    return PyModule_Create(&module);
}
