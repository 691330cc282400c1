# gnuplot straight-sbc.gp draws straight-sbc.svg; for another format: gnuplot -e "format='pdf'" straight-sbc.gp
if (!exists('format')) format = 'svg'
data = 'straight-sbc.dat'
if (format eq 'svg') { set terminal svg size 538,230 enhanced font 'Helvetica,13' linewidth 1.2 background rgb 'white' }
if (format eq 'pdf') { set terminal pdfcairo size 5.60in,2.40in enhanced font 'Helvetica,10' }
if (format eq 'png') { set terminal pngcairo size 1075,461 enhanced font 'Helvetica,20' linewidth 2 }
set output 'straight-sbc.'.format
set encoding utf8
set border linewidth 0.8 linecolor rgb '#444444'
set tics nomirror scale 0.6 textcolor rgb '#222222'
set grid linewidth 0.5 linecolor rgb '#dddddd'
set key noautotitle samplen 1.6 spacing 1.1
set style line 1 linewidth 1.8 pointtype 7 linecolor rgb '#0072b2'
set style line 2 linewidth 1.8 pointtype 5 linecolor rgb '#d55e00'
set style line 3 linewidth 1.8 pointtype 9 linecolor rgb '#009e73'
set style line 4 linewidth 1.8 pointtype 13 linecolor rgb '#cc79a7'
set style line 5 linewidth 1.8 pointtype 11 linecolor rgb '#e69f00'
set style line 6 linewidth 1.8 pointtype 4 linecolor rgb '#56b4e9'
set style line 7 linewidth 1.8 pointtype 6 linecolor rgb '#000000'
set style line 8 linewidth 1.0 dashtype (6,4) linecolor rgb '#777777'
set style fill transparent solid 0.2 noborder
mean = 10.05
low = 2.09041
high = 18.0096
set xlabel 'rank of the truth'
set xtics 0.5
set multiplot layout 1,2
set title "a"
plot [0:1] [0:*] '+' using 1:(low):(high) with filledcurves linestyle 8, \
  mean with lines linestyle 8, \
  data index 0 using 1:2:(0.05) with boxes linestyle 1
set title "b"
plot [0:1] [0:*] '+' using 1:(low):(high) with filledcurves linestyle 8, \
  mean with lines linestyle 8, \
  data index 1 using 1:2:(0.05) with boxes linestyle 1
unset multiplot
