# gnuplot straight-coverage.gp draws straight-coverage.svg; for another format: gnuplot -e "format='pdf'" straight-coverage.gp
if (!exists('format')) format = 'svg'
data = 'straight-coverage.dat'
if (format eq 'svg') { set terminal svg size 384,384 enhanced font 'Helvetica,13' linewidth 1.2 background rgb 'white' }
if (format eq 'pdf') { set terminal pdfcairo size 4.00in,4.00in enhanced font 'Helvetica,10' }
if (format eq 'png') { set terminal pngcairo size 768,768 enhanced font 'Helvetica,20' linewidth 2 }
set output 'straight-coverage.'.format
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
set size square
set xrange [0:1]
set yrange [0:1]
set xtics 0.2
set ytics 0.2
set xlabel 'credibility level'
set ylabel 'expected coverage'
set key left top
plot data index 0 using 1:5:6 with filledcurves linestyle 1 fillstyle transparent solid 0.12 noborder title 'band for all levels', \
  data index 0 using 1:3:4 with filledcurves linestyle 1 fillstyle transparent solid 0.35 noborder title 'interval of each', \
  x with lines linestyle 8, \
  data index 0 using 1:2 with lines linestyle 1
