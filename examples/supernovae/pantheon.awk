# pantheon.awk - the two CSV files as a C header, pantheon.h:
#   awk -F, -f pantheon.awk supernovae_binned.csv supernovae_systematic.csv > pantheon.h
FNR == 1 { file++ }
file == 1 && FNR > 1 { z = z $1 ", "; sd = sd $3 ", " }
file == 2 { row = row "    {" $0 "},\n" }
END {
    print "/* Made by pantheon.awk from the data of Scolnic et al. 2018. */"
    print "enum { BINS = 40 };"
    print "static const double redshift[BINS] = {" z "};"
    print "static const double deviation[BINS] = {" sd "};"
    print "static const double systematic[BINS][BINS] = {\n" row "};"
}
