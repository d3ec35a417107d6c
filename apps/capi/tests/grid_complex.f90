! As grid.f90, of the complex routines that ScaLAPACK has no program for: pzgesv, pzposv, pzheev and
! pzgesvd, which it checks and does not time.
!
!    mpirun -np 4 grid_complex ROUTINE N NB P Q
program grid_complex
    use iso_fortran_env, only: dp => real64
    implicit none
    external :: blacs_pinfo, blacs_get, blacs_gridinit, blacs_gridinfo, blacs_exit
    external :: zgsum2d, descinit, zgemm, pzgesv, pzposv, pzheev, pzgesvd
    integer, external :: numroc, indxl2g
    complex(dp), parameter :: one = 1, zero = 0
    character(len=16) :: routine, word
    integer :: n, nb, p, q, context, me, count, row, column, info, lr, lc, i, descriptor(9)
    integer, allocatable :: pivots(:)
    complex(dp), allocatable :: a(:, :), b(:, :), z(:, :), work(:), ga(:, :), gb(:, :), gx(:, :), gz(:, :)
    complex(dp) :: query(1)
    real(dp), allocatable :: w(:), rwork(:)
    real(dp) :: worst, of_reals(1)

    call get_command_argument(1, routine)
    n = argument(2); nb = argument(3); p = argument(4); q = argument(5)
    call blacs_pinfo(me, count)
    call blacs_get(-1, 0, context)
    call blacs_gridinit(context, 'Row', p, q)
    call blacs_gridinfo(context, p, q, row, column)
    lr = max(1, numroc(n, nb, row, 0, p))
    lc = max(1, numroc(n, nb, column, 0, q))
    call descinit(descriptor, n, n, nb, nb, 0, 0, context, lr, info)
    allocate (a(lr, lc), b(lr, lc), z(lr, lc), w(n), pivots(lr + nb), rwork(4 * n + 1))
    allocate (ga(n, n), gb(n, n), gx(n, n), gz(n, n))
    call fill(a, 1)
    call fill(b, 0)
    call gather(a, ga)
    call gather(b, gb)
    worst = 0
    select case (routine)
    case ('pzgesv')
        call pzgesv(n, n, a, 1, 1, descriptor, pivots, b, 1, 1, descriptor, info)
    case ('pzposv')
        call pzposv('U', n, n, a, 1, 1, descriptor, b, 1, 1, descriptor, info)
    case ('pzheev')
        call pzheev('V', 'U', n, a, 1, 1, descriptor, w, z, 1, 1, descriptor, query, -1, of_reals, -1, info)
        allocate (work(int(real(query(1))) + 1))
        call pzheev('V', 'U', n, a, 1, 1, descriptor, w, z, 1, 1, descriptor, work, size(work), rwork, size(rwork), info)
    case default
        call pzgesvd('V', 'V', n, n, a, 1, 1, descriptor, w, z, 1, 1, descriptor, b, 1, 1, descriptor, query, -1, rwork, info)
        allocate (work(int(real(query(1))) + 1))
        call pzgesvd('V', 'V', n, n, a, 1, 1, descriptor, w, z, 1, 1, descriptor, b, 1, 1, descriptor, work, size(work), &
                     rwork, info)
    end select
    call gather(b, gx)
    call gather(z, gz)
    select case (routine)
    case ('pzgesv', 'pzposv')
        call zgemm('N', 'N', n, n, n, one, ga, n, gx, n, -one, gb, n)
        call judge(gb, n * maxval(abs(ga)) * maxval(abs(gx)))
    case ('pzheev')
        call zgemm('N', 'N', n, n, n, one, ga, n, gz, n, zero, gb, n)
        do i = 1, n
            gb(:, i) = gb(:, i) - w(i) * gz(:, i)
        end do
        call judge(gb, maxval(abs(w)))
        call orthogonal(gz)
    case default
        do i = 1, n
            gb(i, :) = w(i) * gx(i, :)
        end do
        call zgemm('N', 'N', n, n, n, -one, gz, n, gb, n, one, ga, n)
        call judge(ga, maxval(w))
        call orthogonal(gz)
        call orthogonal(gx)
    end select
    if (me == 0) write (*, '(a, 1x, f0.4)') trim(routine), worst
    if (info /= 0 .or. .not. worst < 30) error stop 1
    call blacs_exit(0)

contains

    integer function argument(number)
        integer, intent(in) :: number
        call get_command_argument(number, word)
        read (word, *) argument
    end function

    ! A Hermitian, positive definite matrix (kind 1) or a general one.
    subroutine fill(x, kind)
        complex(dp), intent(out) :: x(:, :)
        integer, intent(in) :: kind
        integer :: i, j, gi, gj
        do j = 1, numroc(n, nb, column, 0, q)
            gj = indxl2g(j, nb, column, 0, q)
            do i = 1, numroc(n, nb, row, 0, p)
                gi = indxl2g(i, nb, row, 0, p)
                if (kind == 0) then
                    x(i, j) = cmplx(sin(3.0_dp * gi + 7.0_dp * gj), cos(5.0_dp * gi * gj), dp)
                else
                    x(i, j) = cmplx(cos(1.0_dp * gi * gj), sin(1.0_dp * gi - gj), dp)
                    if (gi == gj) x(i, j) = 2 * n
                end if
            end do
        end do
    end subroutine

    subroutine gather(x, whole)
        complex(dp), intent(in) :: x(:, :)
        complex(dp), intent(out) :: whole(n, n)
        integer :: i, j
        whole = 0
        do j = 1, numroc(n, nb, column, 0, q)
            do i = 1, numroc(n, nb, row, 0, p)
                whole(indxl2g(i, nb, row, 0, p), indxl2g(j, nb, column, 0, q)) = x(i, j)
            end do
        end do
        call zgsum2d(context, 'All', ' ', n, n, whole, n, -1, -1)
    end subroutine

    subroutine judge(remainder, of)
        complex(dp), intent(in) :: remainder(:, :)
        real(dp), intent(in) :: of
        worst = max(worst, maxval(abs(remainder)) / (max(of, tiny(of)) * n * epsilon(of)))
    end subroutine

    subroutine orthogonal(v)
        complex(dp), intent(in) :: v(:, :)
        complex(dp), allocatable :: r(:, :)
        integer :: i
        allocate (r(n, n))
        call zgemm('C', 'N', n, n, n, one, v, n, v, n, zero, r, n)
        do i = 1, n
            r(i, i) = r(i, i) - 1
        end do
        call judge(r, 1.0_dp)
    end subroutine
end program
