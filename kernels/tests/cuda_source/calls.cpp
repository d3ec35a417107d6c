
#define CALL(name, blocks, threads, parameters, arguments)                                         \
    extern "C" void call_##name parameters {                                                       \
        launch(blocks, threads, [=] { name arguments; });                                          \
    }

CALL(covariance, rows, 1,
     (const RadialTable *table, const double *p, const double *q, u64 rows, u64 cols, u64 diagonal,
      int dimensions, int sphere, int lower, int nugget, real *c),
     (table, p, q, rows, cols, diagonal, dimensions, sphere, lower, nugget, c))
CALL(dot, 1, 8, (u64 n, const real *x, const real *y, double *sum), (n, x, y, sum))
CALL(logdet, 1, 8, (u64 n, const real *a, double factor, double *sum, int *verdict),
     (n, a, factor, sum, verdict))
CALL(column_squares, n, 4, (u64 m, u64 n, const real *a, real *s), (m, a, s))
CALL(laset, 3, 4, (u64 m, u64 n, real off, real on, real *a), (m, n, off, on, a))
CALL(factor_panel, 1, 8, (u64 m, u64 n, real *a, u64 ld, u64 first, int *verdict),
     (m, n, a, ld, first, verdict))
CALL(find_bad_pivot, 1, 8, (u64 n, const real *a, int *verdict), (n, a, verdict))
CALL(find_zero, 1, 8, (u64 n, const real *a, int *verdict), (n, a, verdict))
CALL(take_triangle, 2, 4, (u64 n, const real *a, real *w, int lower, int unit), (n, a, w, lower, unit))
CALL(put_triangle, 2, 4, (u64 n, const real *w, real *a, int lower, int unit, const int *verdict),
     (n, w, a, lower, unit, verdict))
