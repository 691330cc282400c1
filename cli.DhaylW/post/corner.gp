# gnuplot corner.gp draws corner.svg; for another format: gnuplot -e "format='pdf'" corner.gp
if (!exists('format')) format = 'svg'
data = 'corner.dat'
if (format eq 'svg') { set terminal svg size 459,468 enhanced font 'Helvetica,13' linewidth 1.2 background rgb 'white' }
if (format eq 'pdf') { set terminal pdfcairo size 4.78in,4.88in enhanced font 'Helvetica,10' }
if (format eq 'png') { set terminal pngcairo size 918,937 enhanced font 'Helvetica,20' linewidth 2 }
set output 'corner.'.format
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
set contour base
unset surface
set cntrparam levels discrete 0.471099, 0.477252, 0.489554
set table $contour_1_0
splot data index 2 using 1:2:3
unset table
unset contour
unset grid
small = format eq 'png' ? ',16' : format eq 'pdf' ? ',8' : ',11'
set tics front font small
set xtics offset 0,0.3
set ytics offset 0.4,0
set palette defined (0 'white', 1 '#d6e6f4', 2 '#88b3d6', 3 '#3a7fb8')
set cbrange [0:3]
unset colorbox
set multiplot
set lmargin at screen 0.1506; set rmargin at screen 0.5481
set bmargin at screen 0.1270; set tmargin at screen 0.5164
unset arrow; unset label; unset title; unset xlabel; unset ylabel
set xrange [0:1]
set yrange [5:7]
set xtics ('%g' 0.2, '%g' 0.4, '%g' 0.6, '%g' 0.8)
set ytics ('%g' 5.5, '%g' 6, '%g' 6.5)
set xlabel "a" offset 0,0.3
set ylabel "b" offset 0.6,0
set arrow from first 0.206879, graph 0 to first 0.206879, graph 1 nohead front linewidth 1.1 linecolor rgb '#d55e00'
set arrow from graph 0, first 6.737551 to graph 1, first 6.737551 nohead front linewidth 1.1 linecolor rgb '#d55e00'
set label at first 0.206879, first 6.737551 '' front point pointtype 7 pointsize 0.5 linecolor rgb '#d55e00'
plot data index 2 using 1:2:4 with image, \
  $contour_1_0 using 1:2 with lines linewidth 0.7 linecolor rgb '#1f4e79'
set lmargin at screen 0.1506; set rmargin at screen 0.5481
set bmargin at screen 0.5369; set tmargin at screen 0.9262
unset arrow; unset label; unset title; unset xlabel; unset ylabel
set xrange [0:1]
set yrange [0:1.12473]
unset ytics
set xtics ('' 0.2, '' 0.4, '' 0.6, '' 0.8)
set title "a".' = 0.50 {/*0.8 (+0.34 -0.34)}' offset 0,-0.3
set arrow from first 0.206879, graph 0 to first 0.206879, graph 1 nohead front linewidth 1.1 linecolor rgb '#d55e00'
plot data index 0 using 1:($3>=1?$2:1/0) with filledcurves y1=0 fillstyle solid 1 noborder linecolor rgb '#d6e6f4', \
  data index 0 using 1:($3>=2?$2:1/0) with filledcurves y1=0 fillstyle solid 1 noborder linecolor rgb '#88b3d6', \
  data index 0 using 1:($3>=3?$2:1/0) with filledcurves y1=0 fillstyle solid 1 noborder linecolor rgb '#3a7fb8', \
  data index 0 using 1:4 with lines linestyle 8, \
  data index 0 using 1:2 with lines linewidth 1.6 linecolor rgb '#1f4e79'
set lmargin at screen 0.5690; set rmargin at screen 0.9665
set bmargin at screen 0.1270; set tmargin at screen 0.5164
unset arrow; unset label; unset title; unset xlabel; unset ylabel
set xrange [5:7]
set yrange [0:0.57805]
unset ytics
set xtics ('%g' 5.5, '%g' 6, '%g' 6.5)
set title "b".' = 6.02 {/*0.8 (+0.67 -0.69)}' offset 0,-0.3
set xlabel "b" offset 0,0.3
set arrow from first 6.737551, graph 0 to first 6.737551, graph 1 nohead front linewidth 1.1 linecolor rgb '#d55e00'
plot data index 1 using 1:($3>=1?$2:1/0) with filledcurves y1=0 fillstyle solid 1 noborder linecolor rgb '#d6e6f4', \
  data index 1 using 1:($3>=2?$2:1/0) with filledcurves y1=0 fillstyle solid 1 noborder linecolor rgb '#88b3d6', \
  data index 1 using 1:($3>=3?$2:1/0) with filledcurves y1=0 fillstyle solid 1 noborder linecolor rgb '#3a7fb8', \
  data index 1 using 1:4 with lines linestyle 8, \
  data index 1 using 1:2 with lines linewidth 1.6 linecolor rgb '#1f4e79'
unset border; unset tics; unset title; unset xlabel; unset ylabel
unset arrow; unset label
set yrange [0:1]
set object rectangle from screen 0.6109, screen 0.8893 to screen 0.6569, screen 0.9139 front fillstyle solid 1 border linecolor rgb '#1f4e79' linewidth 0.7 fillcolor rgb '#3a7fb8'
set label '68.3 %' at screen 0.6736, screen 0.9016 left front
set object rectangle from screen 0.6109, screen 0.8463 to screen 0.6569, screen 0.8709 front fillstyle solid 1 border linecolor rgb '#1f4e79' linewidth 0.7 fillcolor rgb '#88b3d6'
set label '95.4 %' at screen 0.6736, screen 0.8586 left front
set object rectangle from screen 0.6109, screen 0.8033 to screen 0.6569, screen 0.8279 front fillstyle solid 1 border linecolor rgb '#1f4e79' linewidth 0.7 fillcolor rgb '#d6e6f4'
set label '99.7 %' at screen 0.6736, screen 0.8156 left front
set arrow from screen 0.6109, screen 0.7725 to screen 0.6569, screen 0.7725 nohead front linestyle 8
set label 'prior' at screen 0.6736, screen 0.7725 left front
set arrow from screen 0.6109, screen 0.7295 to screen 0.6569, screen 0.7295 nohead front linewidth 1.1 linecolor rgb '#d55e00'
set label 'truth' at screen 0.6736, screen 0.7295 left front
plot -1
unset multiplot
