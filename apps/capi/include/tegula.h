/* Matrices in tiles. Written by `cargo run -p tegula-capi --example header`.
 *
 * Functions that return an int return 0, or LAPACK's info where that is positive, or minus the number
 * of the argument that is wrong. A context serves one thread at a time: others wait. */
#ifndef TEGULA_H
#define TEGULA_H
#ifdef __cplusplus
#include <complex>
typedef std::complex<float> tegula_complex32;
typedef std::complex<double> tegula_complex64;
extern "C" {
#else
#include <complex.h>
typedef float _Complex tegula_complex32;
typedef double _Complex tegula_complex64;
#endif

/* Workers. */
typedef struct tegula_context tegula_context;
/* A matrix in tiles, which belongs to a context. */
typedef struct tegula_desc tegula_desc;

/* Starts workers workers, or with 0 as many as large problems under LAPACK's names get. */
tegula_context *tegula_init(int workers);

/* Ends the workers. All matrices must be destroyed before. */
void tegula_finalize(tegula_context *context);

/* Spreads large problems under LAPACK's names over workers workers from now on. */
void tegula_set_num_threads(int workers);

/* Number of workers that large problems under LAPACK's names are spread over. */
int tegula_get_num_threads(void);

/* An m x n matrix of zeros in tiles of mb x nb; precision is s, d, c or z. Null if an argument is wrong. */
tegula_desc *tegula_desc_create(tegula_context *context, char precision, int m, int n, int mb, int nb);

/* Takes a matrix apart. */
void tegula_desc_destroy(tegula_context *context, tegula_desc *matrix);

/* Copies a column-major array into the tiles. */
int tegula_slapack_to_tile(tegula_context *context, const float *a, int lda, tegula_desc *matrix);
int tegula_dlapack_to_tile(tegula_context *context, const double *a, int lda, tegula_desc *matrix);
int tegula_clapack_to_tile(tegula_context *context, const tegula_complex32 *a, int lda, tegula_desc *matrix);
int tegula_zlapack_to_tile(tegula_context *context, const tegula_complex64 *a, int lda, tegula_desc *matrix);

/* Copies the tiles into a column-major array. */
int tegula_stile_to_lapack(tegula_context *context, tegula_desc *matrix, float *a, int lda);
int tegula_dtile_to_lapack(tegula_context *context, tegula_desc *matrix, double *a, int lda);
int tegula_ctile_to_lapack(tegula_context *context, tegula_desc *matrix, tegula_complex32 *a, int lda);
int tegula_ztile_to_lapack(tegula_context *context, tegula_desc *matrix, tegula_complex64 *a, int lda);

/* C = alpha op(A) op(B) + beta C; tiles of equal sizes where they meet. */
int tegula_sgemm_tile(tegula_context *context, char transa, char transb, const float *alpha, tegula_desc *a, tegula_desc *b, const float *beta, tegula_desc *c);
int tegula_dgemm_tile(tegula_context *context, char transa, char transb, const double *alpha, tegula_desc *a, tegula_desc *b, const double *beta, tegula_desc *c);
int tegula_cgemm_tile(tegula_context *context, char transa, char transb, const tegula_complex32 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex32 *beta, tegula_desc *c);
int tegula_zgemm_tile(tegula_context *context, char transa, char transb, const tegula_complex64 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex64 *beta, tegula_desc *c);

/* B = alpha inv(op(A)) B, or B = alpha B inv(op(A)), with a triangular matrix A. */
int tegula_strsm_tile(tegula_context *context, char side, char uplo, char transa, char diag, const float *alpha, tegula_desc *a, tegula_desc *b);
int tegula_dtrsm_tile(tegula_context *context, char side, char uplo, char transa, char diag, const double *alpha, tegula_desc *a, tegula_desc *b);
int tegula_ctrsm_tile(tegula_context *context, char side, char uplo, char transa, char diag, const tegula_complex32 *alpha, tegula_desc *a, tegula_desc *b);
int tegula_ztrsm_tile(tegula_context *context, char side, char uplo, char transa, char diag, const tegula_complex64 *alpha, tegula_desc *a, tegula_desc *b);

/* B = alpha op(A) B, or B = alpha B op(A), with a triangular matrix A. */
int tegula_strmm_tile(tegula_context *context, char side, char uplo, char transa, char diag, const float *alpha, tegula_desc *a, tegula_desc *b);
int tegula_dtrmm_tile(tegula_context *context, char side, char uplo, char transa, char diag, const double *alpha, tegula_desc *a, tegula_desc *b);
int tegula_ctrmm_tile(tegula_context *context, char side, char uplo, char transa, char diag, const tegula_complex32 *alpha, tegula_desc *a, tegula_desc *b);
int tegula_ztrmm_tile(tegula_context *context, char side, char uplo, char transa, char diag, const tegula_complex64 *alpha, tegula_desc *a, tegula_desc *b);

/* The inverse of a triangular matrix in square tiles, in place. */
int tegula_strtri_tile(tegula_context *context, char uplo, char diag, tegula_desc *a);
int tegula_dtrtri_tile(tegula_context *context, char uplo, char diag, tegula_desc *a);
int tegula_ctrtri_tile(tegula_context *context, char uplo, char diag, tegula_desc *a);
int tegula_ztrtri_tile(tegula_context *context, char uplo, char diag, tegula_desc *a);

/* A = L L^H of a positive definite matrix in square tiles; uplo is L. */
int tegula_spotrf_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_dpotrf_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_cpotrf_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_zpotrf_tile(tegula_context *context, char uplo, tegula_desc *a);

/* B = inv(A) B, with the factor of A that potrf has left; uplo is L. */
int tegula_spotrs_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_dpotrs_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_cpotrs_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_zpotrs_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);

/* The lower triangle of inv(A) in place of the factor that potrf has left; uplo is L. */
int tegula_spotri_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_dpotri_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_cpotri_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_zpotri_tile(tegula_context *context, char uplo, tegula_desc *a);

#ifdef __cplusplus
}
#endif
#endif
