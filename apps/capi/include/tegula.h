/* Matrices in tiles. Written by `cargo run -p tegula-capi --example header`.
 *
 * Functions that return an int return 0, or LAPACK's info where that is positive, or minus the number
 * of the argument that is wrong. A context serves one thread at a time: others wait.
 *
 * A matrix that a routine writes must not be another of its arguments: it is then the one that is wrong,
 * and of two that are written the second. Matrices that are only read may be the same. */
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
/* The exchanges of rows of a factorisation, which belong to a context. */
typedef struct tegula_ipiv tegula_ipiv;

/* Starts workers workers, or with 0 as many as large problems under LAPACK's names get. Null if there are to be more than 1024, or less than none. */
tegula_context *tegula_init(int workers);

/* Ends the workers. All matrices must be destroyed before. */
void tegula_finalize(tegula_context *context);

/* Lets routines on matrices in tiles only submit their work, if only_submit is not 0. They then run in the order that their data asks for. */
void tegula_set_async(tegula_context *context, int only_submit);

/* Waits for everything that was submitted; returns the first failure as a routine would. Of a zero pivot of getrf or gesv, after which the solution is infinite, only tegula_ipiv_get tells. */
int tegula_wait(tegula_context *context);

/* Spreads large problems under LAPACK's names over workers workers from now on, at least one and at most 1024. */
void tegula_set_num_threads(int workers);

/* Number of workers that large problems under LAPACK's names are spread over. */
int tegula_get_num_threads(void);

/* An m x n matrix of zeros in tiles of mb x nb; precision is s, d, c or z. Null if an argument is wrong, or the matrices of the context have more than 8388608 tiles, or a tile more bytes than an address can tell apart. */
tegula_desc *tegula_desc_create(tegula_context *context, char precision, int m, int n, int mb, int nb);

/* Takes a matrix apart. Nothing happens to null, and to a matrix of another context. */
void tegula_desc_destroy(tegula_context *context, tegula_desc *matrix);

/* Waits, and copies a column-major array into the tiles. */
int tegula_slapack_to_tile(tegula_context *context, const float *a, int lda, tegula_desc *matrix);
int tegula_dlapack_to_tile(tegula_context *context, const double *a, int lda, tegula_desc *matrix);
int tegula_clapack_to_tile(tegula_context *context, const tegula_complex32 *a, int lda, tegula_desc *matrix);
int tegula_zlapack_to_tile(tegula_context *context, const tegula_complex64 *a, int lda, tegula_desc *matrix);

/* Waits, and copies the tiles into a column-major array. Returns the info of what has spoiled them. */
int tegula_stile_to_lapack(tegula_context *context, tegula_desc *matrix, float *a, int lda);
int tegula_dtile_to_lapack(tegula_context *context, tegula_desc *matrix, double *a, int lda);
int tegula_ctile_to_lapack(tegula_context *context, tegula_desc *matrix, tegula_complex32 *a, int lda);
int tegula_ztile_to_lapack(tegula_context *context, tegula_desc *matrix, tegula_complex64 *a, int lda);

/* C = alpha op(A) op(B) + beta C; tiles of equal sizes where they meet. */
int tegula_sgemm_tile(tegula_context *context, char transa, char transb, const float *alpha, tegula_desc *a, tegula_desc *b, const float *beta, tegula_desc *c);
int tegula_dgemm_tile(tegula_context *context, char transa, char transb, const double *alpha, tegula_desc *a, tegula_desc *b, const double *beta, tegula_desc *c);
int tegula_cgemm_tile(tegula_context *context, char transa, char transb, const tegula_complex32 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex32 *beta, tegula_desc *c);
int tegula_zgemm_tile(tegula_context *context, char transa, char transb, const tegula_complex64 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex64 *beta, tegula_desc *c);

/* C = alpha A B + beta C, or C = alpha B A + beta C, with a symmetric matrix A. */
int tegula_ssymm_tile(tegula_context *context, char side, char uplo, const float *alpha, tegula_desc *a, tegula_desc *b, const float *beta, tegula_desc *c);
int tegula_dsymm_tile(tegula_context *context, char side, char uplo, const double *alpha, tegula_desc *a, tegula_desc *b, const double *beta, tegula_desc *c);
int tegula_csymm_tile(tegula_context *context, char side, char uplo, const tegula_complex32 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex32 *beta, tegula_desc *c);
int tegula_zsymm_tile(tegula_context *context, char side, char uplo, const tegula_complex64 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex64 *beta, tegula_desc *c);

/* C = alpha A B + beta C, or C = alpha B A + beta C, with a Hermitian matrix A. */
int tegula_chemm_tile(tegula_context *context, char side, char uplo, const tegula_complex32 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex32 *beta, tegula_desc *c);
int tegula_zhemm_tile(tegula_context *context, char side, char uplo, const tegula_complex64 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex64 *beta, tegula_desc *c);

/* A triangle of C = alpha A A^T + beta C, or with A^T A. */
int tegula_ssyrk_tile(tegula_context *context, char uplo, char trans, const float *alpha, tegula_desc *a, const float *beta, tegula_desc *c);
int tegula_dsyrk_tile(tegula_context *context, char uplo, char trans, const double *alpha, tegula_desc *a, const double *beta, tegula_desc *c);
int tegula_csyrk_tile(tegula_context *context, char uplo, char trans, const tegula_complex32 *alpha, tegula_desc *a, const tegula_complex32 *beta, tegula_desc *c);
int tegula_zsyrk_tile(tegula_context *context, char uplo, char trans, const tegula_complex64 *alpha, tegula_desc *a, const tegula_complex64 *beta, tegula_desc *c);

/* A triangle of C = alpha A A^H + beta C, or with A^H A. */
int tegula_cherk_tile(tegula_context *context, char uplo, char trans, const float *alpha, tegula_desc *a, const float *beta, tegula_desc *c);
int tegula_zherk_tile(tegula_context *context, char uplo, char trans, const double *alpha, tegula_desc *a, const double *beta, tegula_desc *c);

/* A triangle of C = alpha A B^T + alpha B A^T + beta C, or with A^T B and B^T A. */
int tegula_ssyr2k_tile(tegula_context *context, char uplo, char trans, const float *alpha, tegula_desc *a, tegula_desc *b, const float *beta, tegula_desc *c);
int tegula_dsyr2k_tile(tegula_context *context, char uplo, char trans, const double *alpha, tegula_desc *a, tegula_desc *b, const double *beta, tegula_desc *c);
int tegula_csyr2k_tile(tegula_context *context, char uplo, char trans, const tegula_complex32 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex32 *beta, tegula_desc *c);
int tegula_zsyr2k_tile(tegula_context *context, char uplo, char trans, const tegula_complex64 *alpha, tegula_desc *a, tegula_desc *b, const tegula_complex64 *beta, tegula_desc *c);

/* A triangle of C = alpha A B^H + conj(alpha) B A^H + beta C, or with A^H B and B^H A. */
int tegula_cher2k_tile(tegula_context *context, char uplo, char trans, const tegula_complex32 *alpha, tegula_desc *a, tegula_desc *b, const float *beta, tegula_desc *c);
int tegula_zher2k_tile(tegula_context *context, char uplo, char trans, const tegula_complex64 *alpha, tegula_desc *a, tegula_desc *b, const double *beta, tegula_desc *c);

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

/* A = L L^H or A = U^H U of a positive definite matrix in square tiles. */
int tegula_spotrf_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_dpotrf_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_cpotrf_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_zpotrf_tile(tegula_context *context, char uplo, tegula_desc *a);

/* B = inv(A) B, with the factor of A that potrf has left. */
int tegula_spotrs_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_dpotrs_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_cpotrs_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_zpotrs_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);

/* B = inv(A) B, with a positive definite matrix A, which is factorised. */
int tegula_sposv_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_dposv_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_cposv_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);
int tegula_zposv_tile(tegula_context *context, char uplo, tegula_desc *a, tegula_desc *b);

/* A triangle of inv(A) in place of the factor that potrf has left. */
int tegula_spotri_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_dpotri_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_cpotri_tile(tegula_context *context, char uplo, tegula_desc *a);
int tegula_zpotri_tile(tegula_context *context, char uplo, tegula_desc *a);

/* Room for the exchanges of rows of a factorisation of a, which must be one row of tiles. Null if an argument is wrong. */
tegula_ipiv *tegula_ipiv_create(tegula_context *context, tegula_desc *a);

/* Waits, writes LAPACK's ipiv, and returns the first step that found only zeros, or 0. */
int tegula_ipiv_get(tegula_context *context, tegula_ipiv *pivots, int *ipiv);

/* Gives the room back. Nothing happens to null, and to exchanges of another context. */
void tegula_ipiv_destroy(tegula_context *context, tegula_ipiv *pivots);

/* A = P L U, with exchanges of rows; A in one row of tiles. */
int tegula_sgetrf_tile(tegula_context *context, tegula_desc *a, tegula_ipiv *pivots);
int tegula_dgetrf_tile(tegula_context *context, tegula_desc *a, tegula_ipiv *pivots);
int tegula_cgetrf_tile(tegula_context *context, tegula_desc *a, tegula_ipiv *pivots);
int tegula_zgetrf_tile(tegula_context *context, tegula_desc *a, tegula_ipiv *pivots);

/* B = inv(op(A)) B, with the factors of A that getrf has left; all in one row of tiles. */
int tegula_sgetrs_tile(tegula_context *context, char trans, tegula_desc *a, tegula_ipiv *pivots, tegula_desc *b);
int tegula_dgetrs_tile(tegula_context *context, char trans, tegula_desc *a, tegula_ipiv *pivots, tegula_desc *b);
int tegula_cgetrs_tile(tegula_context *context, char trans, tegula_desc *a, tegula_ipiv *pivots, tegula_desc *b);
int tegula_zgetrs_tile(tegula_context *context, char trans, tegula_desc *a, tegula_ipiv *pivots, tegula_desc *b);

/* B = inv(A) B, with a general matrix A, which is factorised; all in one row of tiles. */
int tegula_sgesv_tile(tegula_context *context, tegula_desc *a, tegula_ipiv *pivots, tegula_desc *b);
int tegula_dgesv_tile(tegula_context *context, tegula_desc *a, tegula_ipiv *pivots, tegula_desc *b);
int tegula_cgesv_tile(tegula_context *context, tegula_desc *a, tegula_ipiv *pivots, tegula_desc *b);
int tegula_zgesv_tile(tegula_context *context, tegula_desc *a, tegula_ipiv *pivots, tegula_desc *b);

/* A = Q R, A in one row of tiles; tau is a column in tiles as high as those of A are wide. */
int tegula_sgeqrf_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_dgeqrf_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_cgeqrf_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_zgeqrf_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);

/* A = L Q, A in one column of tiles; tau is a column in tiles as high as those of A. */
int tegula_sgelqf_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_dgelqf_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_cgelqf_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_zgelqf_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);

/* The Q of geqrf in place of its reflectors. */
int tegula_sorgqr_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_dorgqr_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_cungqr_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_zungqr_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);

/* The Q of gelqf in place of its reflectors. */
int tegula_sorglq_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_dorglq_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_cunglq_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);
int tegula_zunglq_tile(tegula_context *context, tegula_desc *a, tegula_desc *tau);

/* C = op(Q) C, C in one row of tiles, or C = C op(Q), in one column, with the Q of geqrf. */
int tegula_sormqr_tile(tegula_context *context, char side, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *c);
int tegula_dormqr_tile(tegula_context *context, char side, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *c);
int tegula_cunmqr_tile(tegula_context *context, char side, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *c);
int tegula_zunmqr_tile(tegula_context *context, char side, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *c);

/* C = op(Q) C, C in one row of tiles, or C = C op(Q), in one column, with the Q of gelqf. */
int tegula_sormlq_tile(tegula_context *context, char side, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *c);
int tegula_dormlq_tile(tegula_context *context, char side, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *c);
int tegula_cunmlq_tile(tegula_context *context, char side, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *c);
int tegula_zunmlq_tile(tegula_context *context, char side, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *c);

/* Least squares, or the least solution: A as in geqrf if it has no fewer rows than columns, else as in gelqf; B with as many rows as the larger of both, in one row of tiles. */
int tegula_sgels_tile(tegula_context *context, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *b);
int tegula_dgels_tile(tegula_context *context, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *b);
int tegula_cgels_tile(tegula_context *context, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *b);
int tegula_zgels_tile(tegula_context *context, char trans, tegula_desc *a, tegula_desc *tau, tegula_desc *b);

#ifdef __cplusplus
}
#endif
#endif
