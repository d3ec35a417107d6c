
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
CALL(find_zero, 1, 8, (u64 n, const real *a, u64 ld, int *verdict), (n, a, ld, verdict))
CALL(take_triangle, 2, 4, (u64 n, const real *a, real *w, int lower, int unit), (n, a, w, lower, unit))
CALL(put_triangle, 2, 4, (u64 n, const real *w, real *a, int lower, int unit, const int *verdict),
     (n, w, a, lower, unit, verdict))
CALL(factor_columns, 1, 8,
     (u64 rows, u64 width, real *head, u64 ldh, real *x, u64 ld, int stacked, real *tau, real *t,
      u64 ldt),
     (rows, width, head, ldh, x, ld, stacked, tau, t, ldt))
CALL(take_reflectors, 2, 4, (u64 rows, u64 k, const real *v, u64 ld, int turned, real *w),
     (rows, k, v, ld, turned, w))
CALL(take_trapezoid, 2, 4, (u64 m, u64 n, u64 first, const real *v, u64 ld, real *w),
     (m, n, first, v, ld, w))
CALL(put_trapezoid, 2, 4, (u64 m, u64 n, u64 first, const real *w, real *v, u64 ld),
     (m, n, first, w, v, ld))
CALL(add_part, 2, 4,
     (u64 m, u64 n, int part, int op, real alpha, const real *a, u64 lda, real beta, real *b,
      u64 ldb),
     (m, n, part, op, alpha, a, lda, beta, b, ldb))
CALL(laset_part, 2, 4, (u64 m, u64 n, int part, real off, real on, real *a), (m, n, part, off, on, a))
CALL(convert, 2, 4, (u64 m, u64 n, int part, const real *a, other *b), (m, n, part, a, b))
CALL(diagonal_solve, 2, 4, (u64 m, u64 n, const real *d, real *b), (m, n, d, b))
CALL(negligible, 2, 4, (u64 n, double part, const real *before, real *after),
     (n, part, before, after))
CALL(scale_lines, 2, 4,
     (u64 m, u64 n, int row, const real *rows, int column, const real *columns, real *a),
     (m, n, row, rows, column, columns, a))
CALL(centre, 2, 4,
     (u64 m, u64 n, int part, int squared, real alpha, double p, const real *r, double q,
      const real *c, double s, const real *t, real *a),
     (m, n, part, squared, alpha, p, r, q, c, s, t, a))
CALL(sum_columns, n, 4,
     (u64 m, u64 n, int kind, int lower, int term, const real *a, real *sums),
     (m, kind, lower, term, a, sums))
CALL(sum_rows, 2, 4, (u64 m, u64 n, int kind, int lower, int term, const real *a, real *sums),
     (m, n, kind, lower, term, a, sums))
CALL(norm_largest, 1, 4, (u64 m, u64 n, int kind, int lower, const real *a, base *share),
     (m, n, kind, lower, a, share))
CALL(norm_squares, 1, 4,
     (u64 m, u64 n, int kind, int lower, int twice, double smallest, const real *a, base *share),
     (m, n, kind, lower, twice, smallest, a, share))
CALL(norm_fold_largest, 1, 4, (u64 n, const base *share, base *result), (n, share, result))
CALL(norm_fold_squares, 1, 4, (const base *share, base *result), (share, result))
CALL(add_noise, 2, 4, (u64 m, const double *noise, real *a), (m, noise, a))
CALL(times_noise, 2, 4,
     (u64 m, u64 n, double alpha, const double *noise, const real *x, real *y),
     (m, n, alpha, noise, x, y))
CALL(trace_rows, 2, 4, (u64 steps, u64 first, int backward, const unsigned *pivots, u64 *rows),
     (steps, first, backward, pivots, rows))
CALL(take_rows, 2, 4, (u64 count, u64 n, const u64 *rows, const real *a, u64 ld, real *w),
     (count, n, rows, a, ld, w))
CALL(put_rows, 2, 4, (u64 count, u64 n, const u64 *rows, const real *w, real *a, u64 ld),
     (count, n, rows, w, a, ld))
CALL(unpack_rows, 2, 4, (u64 m, u64 n, u64 height, u64 stride, const real *packed, real *w),
     (m, n, height, stride, packed, w))
CALL(widen_tile, 2, 4,
     (u64 m, u64 n, int element, const void *stored, int kind, double offset, int is_diagonal,
      u64 row, u64 column, real *to),
     (m, n, element, stored, kind, offset, is_diagonal, row, column, to))
CALL(narrow_lines, 2, 4, (u64 m, u64 n, const double *panel, u64 ld, real *to),
     (m, n, panel, ld, to))
CALL(add_lines, 2, 4, (u64 m, u64 n, const real *product, double *panel, u64 ld),
     (m, n, product, panel, ld))
