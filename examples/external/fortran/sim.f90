! Reads input.nml, writes result.dat; run once per simulation.
!
!   gfortran -O2 -o sim sim.f90
program sim
  implicit none
  integer, parameter :: dp = kind(1.0d0), n = 16
  real(dp), parameter :: pi = 3.14159265358979323846_dp
  integer :: seed, i, length, unit
  integer, allocatable :: state(:)
  real(dp) :: rate, scale, offset, x(n), u(2)
  namelist /model/ seed, rate, scale, offset

  open (newunit=unit, file='input.nml', status='old')
  read (unit, nml=model)
  close (unit)

  ! The same seed, the same numbers.
  call random_seed(size=length)
  allocate (state(length))
  state = [(ieor(seed, 40503*i), i=1, length)]
  call random_seed(put=state)

  do i = 1, n
    call random_number(u)
    x(i) = scale*exp(-rate*(i - 1)/4) + offset &
           + 0.05_dp*sqrt(-2*log(1 - u(1)))*cos(2*pi*u(2))
  end do

  open (newunit=unit, file='result.dat', status='replace')
  write (unit, '(4d24.16)') x
  close (unit)
end program sim
