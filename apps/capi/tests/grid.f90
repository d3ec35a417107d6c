! A program over ScaLAPACK that solves one problem of each kind, times it and checks it.
!
!    mpirun -np 4 grid ROUTINE N NB P Q [RUNS]
!
! Prints the routine, the seconds of each run, and the largest backward error in units of n eps; ends
! with an error if that is more than 30 or the routine fails. Matrices are n x n, right-hand sides n/8,
! and those of least squares 2 n x n. It is the same program whoever serves ScaLAPACK's names.
program grid
    use iso_fortran_env, only: int64, real64
    implicit none
    integer, parameter :: dp = real64
    external :: blacs_pinfo, blacs_get, blacs_gridinit, blacs_gridinfo, blacs_barrier, blacs_exit
    external :: dgsum2d, igamx2d, descinit, pdgemm, pdtrsm, pdpotrf, pdposv, pdgetrf, pdgesv, pdgeqrf
    external :: pdgels, pdsyev, pdgesvd, dgemm
    integer, external :: numroc, indxl2g
    character(len=16) :: routine, word
    integer :: n, nb, p, q, runs, context, me, count, row, column, run, info, m, sides
    real(dp) :: seconds, worst

    call get_command_argument(1, routine)
    n = argument(2); nb = argument(3); p = argument(4); q = argument(5)
    runs = 1
    if (command_argument_count() > 5) runs = argument(6)
    call blacs_pinfo(me, count)
    call blacs_get(-1, 0, context)
    call blacs_gridinit(context, 'Row', p, q)
    call blacs_gridinfo(context, p, q, row, column)
    m = merge(2 * n, n, routine == 'pdgels')
    sides = max(1, n / 8)
    worst = 0
    if (row >= 0) then
        do run = 1, runs
            call solve()
            if (me == 0) write (*, '(a, 1x, f0.4, 1x, f0.4)') trim(routine), seconds, worst
        end do
        if (info /= 0 .or. .not. worst < 30) then
            if (me == 0) write (*, '(a, i0, a)') 'info ', info, ': wrong'
            error stop 1
        end if
    end if
    call blacs_exit(0)

contains

    integer function argument(number)
        integer, intent(in) :: number
        call get_command_argument(number, word)
        read (word, *) argument
    end function

    ! A number between -1/2 and 1/2 that depends on its place alone.
    pure real(dp) function drawn(i, j, seed)
        integer, intent(in) :: i, j, seed
        integer(int64) :: x
        x = int(i, int64) * 2654435761_int64 + int(j, int64) * 40503_int64 + seed * 97_int64 + 12345
        x = ieor(x, ishft(x, -13)) * 1274126177_int64
        x = ieor(x, ishft(x, -16))
        drawn = real(iand(x, 1048575_int64), dp) / 1048576 - 0.5_dp
    end function

    subroutine describe(rows, columns, descriptor, lr, lc)
        integer, intent(in) :: rows, columns
        integer, intent(out) :: descriptor(9), lr, lc
        integer :: status
        lr = max(1, numroc(rows, nb, row, 0, p))
        lc = max(1, numroc(columns, nb, column, 0, q))
        call descinit(descriptor, rows, columns, nb, nb, 0, 0, context, lr, status)
    end subroutine

    ! Kinds: 0 general, 1 symmetric, 2 positive definite, 3 triangular with a large diagonal.
    subroutine fill(a, rows, columns, kind, seed)
        real(dp), intent(out) :: a(:, :)
        integer, intent(in) :: rows, columns, kind, seed
        integer :: i, j, gi, gj
        do j = 1, numroc(columns, nb, column, 0, q)
            gj = indxl2g(j, nb, column, 0, q)
            do i = 1, numroc(rows, nb, row, 0, p)
                gi = indxl2g(i, nb, row, 0, p)
                select case (kind)
                case (0)
                    a(i, j) = drawn(gi, gj, seed)
                case (1, 2)
                    a(i, j) = drawn(min(gi, gj), max(gi, gj), seed)
                case default
                    a(i, j) = drawn(gi, gj, seed)
                    if (gi < gj) a(i, j) = 0
                end select
                if (gi == gj .and. kind >= 2) a(i, j) = n
            end do
        end do
    end subroutine

    ! The whole matrix, on every process.
    subroutine gather(a, rows, columns, whole)
        real(dp), intent(in) :: a(:, :)
        integer, intent(in) :: rows, columns
        real(dp), intent(out) :: whole(rows, columns)
        integer :: i, j
        whole = 0
        do j = 1, numroc(columns, nb, column, 0, q)
            do i = 1, numroc(rows, nb, row, 0, p)
                whole(indxl2g(i, nb, row, 0, p), indxl2g(j, nb, column, 0, q)) = a(i, j)
            end do
        end do
        call dgsum2d(context, 'All', ' ', rows, columns, whole, rows, -1, -1)
    end subroutine

    ! How large a remainder is beside what it is of.
    subroutine judge(remainder, of)
        real(dp), intent(in) :: remainder(:, :), of
        worst = max(worst, maxval(abs(remainder)) / (max(of, tiny(of)) * m * epsilon(of)))
    end subroutine

    subroutine solve()
        integer :: da(9), db(9), dz(9), la, ca, lb, cb, lz, cz, length, k, i
        integer(int64) :: start, finish, rate
        integer, allocatable :: pivots(:)
        real(dp), allocatable :: a(:, :), b(:, :), c(:, :), z(:, :), w(:), tau(:), work(:)
        real(dp), allocatable :: ga(:, :), gb(:, :), gx(:, :), gz(:, :), gc(:, :), r(:, :)
        real(dp) :: query(1), scale

        call describe(m, n, da, la, ca)
        call describe(merge(n, m, is_square_b()), merge(n, sides, is_square_b()), db, lb, cb)
        call describe(n, n, dz, lz, cz)
        allocate (a(la, ca), b(lb, cb), c(lb, cb), z(lz, cz), w(n), tau(ca), pivots(la + nb))
        k = 0
        if (routine == 'pdsyev') k = 1
        if (routine == 'pdpotrf' .or. routine == 'pdposv') k = 2
        if (routine == 'pdtrsm') k = 3
        call fill(a, m, n, k, 1)
        call fill(b, db(3), db(4), 0, 2)
        call fill(c, db(3), db(4), 0, 3)
        ! On small problems all is compared.
        if (n <= 1500) then
            allocate (ga(m, n), gb(db(3), db(4)), gx(db(3), db(4)), gz(n, n), gc(db(3), db(4)))
            call gather(a, m, n, ga)
            call gather(b, db(3), db(4), gb)
            call gather(c, db(3), db(4), gc)
        end if
        length = 1
        if (routine == 'pdgeqrf') call pdgeqrf(m, n, a, 1, 1, da, tau, query, -1, info)
        if (routine == 'pdgels') call pdgels('N', m, n, sides, a, 1, 1, da, b, 1, 1, db, query, -1, info)
        if (routine == 'pdsyev') call pdsyev('V', 'L', n, a, 1, 1, da, w, z, 1, 1, dz, query, -1, info)
        if (routine == 'pdgesvd') call pdgesvd('V', 'V', n, n, a, 1, 1, da, w, z, 1, 1, dz, b, 1, 1, db, query, -1, info)
        if (any(routine == ['pdgeqrf', 'pdgels ', 'pdsyev ', 'pdgesvd'])) length = int(query(1)) + 1
        allocate (work(length))
        info = 0
        call blacs_barrier(context, 'All')
        call system_clock(start, rate)
        select case (routine)
        case ('pdgemm')
            call pdgemm('N', 'T', n, n, n, 2.0_dp, a, 1, 1, da, b, 1, 1, db, -1.0_dp, c, 1, 1, db)
        case ('pdtrsm')
            call pdtrsm('L', 'L', 'N', 'N', n, n, 2.0_dp, a, 1, 1, da, b, 1, 1, db)
        case ('pdpotrf')
            call pdpotrf('L', n, a, 1, 1, da, info)
        case ('pdposv')
            call pdposv('U', n, sides, a, 1, 1, da, b, 1, 1, db, info)
        case ('pdgetrf')
            call pdgetrf(n, n, a, 1, 1, da, pivots, info)
        case ('pdgesv')
            call pdgesv(n, sides, a, 1, 1, da, pivots, b, 1, 1, db, info)
        case ('pdgeqrf')
            call pdgeqrf(m, n, a, 1, 1, da, tau, work, length, info)
        case ('pdgels')
            call pdgels('N', m, n, sides, a, 1, 1, da, b, 1, 1, db, work, length, info)
        case ('pdsyev')
            call pdsyev('V', 'L', n, a, 1, 1, da, w, z, 1, 1, dz, work, length, info)
        case ('pdgesvd')
            call pdgesvd('V', 'V', n, n, a, 1, 1, da, w, z, 1, 1, dz, b, 1, 1, db, work, length, info)
        case default
            if (me == 0) write (*, '(2a)') 'there is no routine ', trim(routine)
            error stop 2
        end select
        call blacs_barrier(context, 'All')
        call system_clock(finish)
        seconds = real(finish - start, dp) / real(rate, dp)
        if (n > 1500) return
        if (routine == 'pdgemm') call gather(c, db(3), db(4), gx)
        if (routine /= 'pdgemm') call gather(b, db(3), db(4), gx)
        call gather(z, n, n, gz)
        select case (routine)
        case ('pdgemm')
            scale = n * maxval(abs(ga)) * maxval(abs(gb))
            call dgemm('N', 'T', n, n, n, 2.0_dp, ga, n, gb, n, -1.0_dp, gc, n)
            call judge(gx - gc, scale)
        case ('pdtrsm', 'pdposv', 'pdgesv')
            scale = n * maxval(abs(ga)) * maxval(abs(gx))
            r = gb
            call dgemm('N', 'N', n, db(4), n, 1.0_dp, ga, n, gx, n, merge(-2.0_dp, -1.0_dp, routine == 'pdtrsm'), r, n)
            call judge(r, scale)
        case ('pdpotrf')
            allocate (r(n, n))
            call gather(a, n, n, r)
            do i = 2, n
                r(1:i - 1, i) = 0
            end do
            scale = maxval(abs(ga))
            call dgemm('N', 'T', n, n, n, -1.0_dp, r, n, r, n, 1.0_dp, ga, n)
            call judge(ga, scale)
        case ('pdgetrf', 'pdgeqrf')
            call factors(a, pivots, ga)
        case ('pdgels')
            ! The remainder is orthogonal to the columns.
            allocate (r(n, sides))
            call dgemm('N', 'N', m, sides, n, -1.0_dp, ga, m, gx, m, 1.0_dp, gb, m)
            call dgemm('T', 'N', n, sides, m, 1.0_dp, ga, m, gb, m, 0.0_dp, r, n)
            call judge(r, m * maxval(abs(ga)) * maxval(abs(gb)))
        case ('pdsyev')
            allocate (r(n, n))
            call dgemm('N', 'N', n, n, n, 1.0_dp, ga, n, gz, n, 0.0_dp, r, n)
            do i = 1, n
                r(:, i) = r(:, i) - w(i) * gz(:, i)
            end do
            call judge(r, maxval(abs(w)))
            call orthogonal(gz)
        case ('pdgesvd')
            ! b holds the right vectors in its rows.
            do i = 1, n
                gb(i, :) = w(i) * gx(i, :)
            end do
            scale = maxval(abs(w))
            call dgemm('N', 'N', n, n, n, -1.0_dp, gz, n, gb, n, 1.0_dp, ga, n)
            call judge(ga, scale)
            call orthogonal(gz)
            call orthogonal(gx)
        end select
    end subroutine

    pure logical function is_square_b()
        is_square_b = any(routine == ['pdgemm ', 'pdtrsm ', 'pdgesvd'])
    end function

    subroutine orthogonal(v)
        real(dp), intent(in) :: v(:, :)
        real(dp), allocatable :: r(:, :)
        integer :: i
        allocate (r(n, n))
        call dgemm('T', 'N', n, n, n, 1.0_dp, v, n, v, n, 0.0_dp, r, n)
        do i = 1, n
            r(i, i) = r(i, i) - 1
        end do
        call judge(r, 1.0_dp)
    end subroutine

    ! A = P L U by its factors, and of A = Q R that R'R = A'A.
    subroutine factors(a, pivots, ga)
        real(dp), intent(in) :: a(:, :)
        integer, intent(in) :: pivots(:)
        real(dp), intent(inout) :: ga(:, :)
        real(dp), allocatable :: f(:, :), l(:, :), u(:, :), line(:)
        integer, allocatable :: all(:)
        integer :: i, j
        real(dp) :: scale
        allocate (f(n, n), l(n, n), u(n, n), all(n), line(n))
        call gather(a, n, n, f)
        l = 0
        u = 0
        do j = 1, n
            u(1:j, j) = f(1:j, j)
            l(j + 1:n, j) = f(j + 1:n, j)
            l(j, j) = 1
        end do
        if (routine == 'pdgeqrf') then
            call dgemm('T', 'N', n, n, n, 1.0_dp, ga, n, ga, n, 0.0_dp, f, n)
            scale = maxval(abs(f))
            call dgemm('T', 'N', n, n, n, -1.0_dp, u, n, u, n, 1.0_dp, f, n)
            call judge(f, scale)
            return
        end if
        all = 0
        do i = 1, numroc(n, nb, row, 0, p)
            all(indxl2g(i, nb, row, 0, p)) = pivots(i)
        end do
        call igamx2d(context, 'All', ' ', n, 1, all, n, i, i, -1, -1, -1)
        do i = 1, n
            line = ga(i, :)
            ga(i, :) = ga(all(i), :)
            ga(all(i), :) = line
        end do
        scale = maxval(abs(u)) * n
        call dgemm('N', 'N', n, n, n, -1.0_dp, l, n, u, n, 1.0_dp, ga, n)
        call judge(ga, scale)
    end subroutine
end program
