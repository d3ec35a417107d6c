/* LAPACK's and BLAS's routines as Fortran calls them: all arguments by pointer, integers of 32 bits.
 * Written by `cargo run -p tegula-capi --example header lapack`.
 *
 * The lengths of strings, which Fortran passes after the other arguments, may be left out. */
#ifndef TEGULA_LAPACK_H
#define TEGULA_LAPACK_H
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

/* C = alpha op(A) op(B) + beta C. */
void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha, const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha, const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc);
void cgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *lda, const tegula_complex32 *b, const int *ldb, const tegula_complex32 *beta, tegula_complex32 *c, const int *ldc);
void zgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *lda, const tegula_complex64 *b, const int *ldb, const tegula_complex64 *beta, tegula_complex64 *c, const int *ldc);

/* C = alpha A B + beta C, or C = alpha B A + beta C, with a symmetric matrix A. */
void ssymm_(const char *side, const char *uplo, const int *m, const int *n, const float *alpha, const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc);
void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha, const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc);
void csymm_(const char *side, const char *uplo, const int *m, const int *n, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *lda, const tegula_complex32 *b, const int *ldb, const tegula_complex32 *beta, tegula_complex32 *c, const int *ldc);
void zsymm_(const char *side, const char *uplo, const int *m, const int *n, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *lda, const tegula_complex64 *b, const int *ldb, const tegula_complex64 *beta, tegula_complex64 *c, const int *ldc);

/* C = alpha A B + beta C, or C = alpha B A + beta C, with a Hermitian matrix A. */
void chemm_(const char *side, const char *uplo, const int *m, const int *n, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *lda, const tegula_complex32 *b, const int *ldb, const tegula_complex32 *beta, tegula_complex32 *c, const int *ldc);
void zhemm_(const char *side, const char *uplo, const int *m, const int *n, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *lda, const tegula_complex64 *b, const int *ldb, const tegula_complex64 *beta, tegula_complex64 *c, const int *ldc);

/* A triangle of C = alpha A B^T + alpha B A^T + beta C, or with A^T B and B^T A. */
void ssyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha, const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc);
void csyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *lda, const tegula_complex32 *b, const int *ldb, const tegula_complex32 *beta, tegula_complex32 *c, const int *ldc);
void zsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *lda, const tegula_complex64 *b, const int *ldb, const tegula_complex64 *beta, tegula_complex64 *c, const int *ldc);

/* A triangle of C = alpha A B^H + conj(alpha) B A^H + beta C, or with A^H B and B^H A. */
void cher2k_(const char *uplo, const char *trans, const int *n, const int *k, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *lda, const tegula_complex32 *b, const int *ldb, const float *beta, tegula_complex32 *c, const int *ldc);
void zher2k_(const char *uplo, const char *trans, const int *n, const int *k, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *lda, const tegula_complex64 *b, const int *ldb, const double *beta, tegula_complex64 *c, const int *ldc);

/* A triangle of C = alpha A A^T + beta C, or with A^T A. */
void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha, const float *a, const int *lda, const float *beta, float *c, const int *ldc);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a, const int *lda, const double *beta, double *c, const int *ldc);
void csyrk_(const char *uplo, const char *trans, const int *n, const int *k, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *lda, const tegula_complex32 *beta, tegula_complex32 *c, const int *ldc);
void zsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *lda, const tegula_complex64 *beta, tegula_complex64 *c, const int *ldc);

/* A triangle of C = alpha A A^H + beta C, or with A^H A. */
void cherk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha, const tegula_complex32 *a, const int *lda, const float *beta, tegula_complex32 *c, const int *ldc);
void zherk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const tegula_complex64 *a, const int *lda, const double *beta, tegula_complex64 *c, const int *ldc);

/* B = alpha op(A) B, or B = alpha B op(A), with a triangular matrix A. */
void strmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb);
void dtrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void ctrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *lda, tegula_complex32 *b, const int *ldb);
void ztrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *lda, tegula_complex64 *b, const int *ldb);

/* B = alpha inv(op(A)) B, or B = alpha B inv(op(A)), with a triangular matrix A. */
void strsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void ctrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *lda, tegula_complex32 *b, const int *ldb);
void ztrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *lda, tegula_complex64 *b, const int *ldb);

/* A = P L U, with exchanges of rows. */
void sgetrf_(const int *m, const int *n, float *a, const int *lda, int *ipiv, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void cgetrf_(const int *m, const int *n, tegula_complex32 *a, const int *lda, int *ipiv, int *info);
void zgetrf_(const int *m, const int *n, tegula_complex64 *a, const int *lda, int *ipiv, int *info);

/* The same as xGETRF. */
void sgetrf2_(const int *m, const int *n, float *a, const int *lda, int *ipiv, int *info);
void dgetrf2_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void cgetrf2_(const int *m, const int *n, tegula_complex32 *a, const int *lda, int *ipiv, int *info);
void zgetrf2_(const int *m, const int *n, tegula_complex64 *a, const int *lda, int *ipiv, int *info);
void sgetf2_(const int *m, const int *n, float *a, const int *lda, int *ipiv, int *info);
void dgetf2_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void cgetf2_(const int *m, const int *n, tegula_complex32 *a, const int *lda, int *ipiv, int *info);
void zgetf2_(const int *m, const int *n, tegula_complex64 *a, const int *lda, int *ipiv, int *info);

/* B = inv(op(A)) B, with the factors of A that xGETRF has left. */
void sgetrs_(const char *trans, const int *n, const int *nrhs, const float *a, const int *lda, const int *ipiv, float *b, const int *ldb, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *ipiv, double *b, const int *ldb, int *info);
void cgetrs_(const char *trans, const int *n, const int *nrhs, const tegula_complex32 *a, const int *lda, const int *ipiv, tegula_complex32 *b, const int *ldb, int *info);
void zgetrs_(const char *trans, const int *n, const int *nrhs, const tegula_complex64 *a, const int *lda, const int *ipiv, tegula_complex64 *b, const int *ldb, int *info);

/* B = inv(A) B, with a general matrix A, which is factorised. */
void sgesv_(const int *n, const int *nrhs, float *a, const int *lda, int *ipiv, float *b, const int *ldb, int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);
void cgesv_(const int *n, const int *nrhs, tegula_complex32 *a, const int *lda, int *ipiv, tegula_complex32 *b, const int *ldb, int *info);
void zgesv_(const int *n, const int *nrhs, tegula_complex64 *a, const int *lda, int *ipiv, tegula_complex64 *b, const int *ldb, int *info);

/* inv(A) in place of the factors of A that xGETRF has left. */
void sgetri_(const int *n, float *a, const int *lda, const int *ipiv, float *work, const int *lwork, int *info);
void dgetri_(const int *n, double *a, const int *lda, const int *ipiv, double *work, const int *lwork, int *info);
void cgetri_(const int *n, tegula_complex32 *a, const int *lda, const int *ipiv, tegula_complex32 *work, const int *lwork, int *info);
void zgetri_(const int *n, tegula_complex64 *a, const int *lda, const int *ipiv, tegula_complex64 *work, const int *lwork, int *info);

/* A = Q R, with reflectors in place of Q. */
void sgeqrf_(const int *m, const int *n, float *a, const int *lda, float *tau, float *work, const int *lwork, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork, int *info);
void cgeqrf_(const int *m, const int *n, tegula_complex32 *a, const int *lda, tegula_complex32 *tau, tegula_complex32 *work, const int *lwork, int *info);
void zgeqrf_(const int *m, const int *n, tegula_complex64 *a, const int *lda, tegula_complex64 *tau, tegula_complex64 *work, const int *lwork, int *info);

/* A = L Q, with reflectors in place of Q. */
void sgelqf_(const int *m, const int *n, float *a, const int *lda, float *tau, float *work, const int *lwork, int *info);
void dgelqf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork, int *info);
void cgelqf_(const int *m, const int *n, tegula_complex32 *a, const int *lda, tegula_complex32 *tau, tegula_complex32 *work, const int *lwork, int *info);
void zgelqf_(const int *m, const int *n, tegula_complex64 *a, const int *lda, tegula_complex64 *tau, tegula_complex64 *work, const int *lwork, int *info);

/* The first n columns of the Q whose reflectors xGEQRF has left. */
void sorgqr_(const int *m, const int *n, const int *k, float *a, const int *lda, const float *tau, float *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau, double *work, const int *lwork, int *info);
void cungqr_(const int *m, const int *n, const int *k, tegula_complex32 *a, const int *lda, const tegula_complex32 *tau, tegula_complex32 *work, const int *lwork, int *info);
void zungqr_(const int *m, const int *n, const int *k, tegula_complex64 *a, const int *lda, const tegula_complex64 *tau, tegula_complex64 *work, const int *lwork, int *info);

/* The first m rows of the Q whose reflectors xGELQF has left. */
void sorglq_(const int *m, const int *n, const int *k, float *a, const int *lda, const float *tau, float *work, const int *lwork, int *info);
void dorglq_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau, double *work, const int *lwork, int *info);
void cunglq_(const int *m, const int *n, const int *k, tegula_complex32 *a, const int *lda, const tegula_complex32 *tau, tegula_complex32 *work, const int *lwork, int *info);
void zunglq_(const int *m, const int *n, const int *k, tegula_complex64 *a, const int *lda, const tegula_complex64 *tau, tegula_complex64 *work, const int *lwork, int *info);

/* C = op(Q) C or C = C op(Q), with the Q whose reflectors xGEQRF has left. */
void sormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const float *a, const int *lda, const float *tau, float *c, const int *ldc, float *work, const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a, const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info);
void cunmqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const tegula_complex32 *a, const int *lda, const tegula_complex32 *tau, tegula_complex32 *c, const int *ldc, tegula_complex32 *work, const int *lwork, int *info);
void zunmqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const tegula_complex64 *a, const int *lda, const tegula_complex64 *tau, tegula_complex64 *c, const int *ldc, tegula_complex64 *work, const int *lwork, int *info);

/* C = op(Q) C or C = C op(Q), with the Q whose reflectors xGELQF has left. */
void sormlq_(const char *side, const char *trans, const int *m, const int *n, const int *k, const float *a, const int *lda, const float *tau, float *c, const int *ldc, float *work, const int *lwork, int *info);
void dormlq_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a, const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info);
void cunmlq_(const char *side, const char *trans, const int *m, const int *n, const int *k, const tegula_complex32 *a, const int *lda, const tegula_complex32 *tau, tegula_complex32 *c, const int *ldc, tegula_complex32 *work, const int *lwork, int *info);
void zunmlq_(const char *side, const char *trans, const int *m, const int *n, const int *k, const tegula_complex64 *a, const int *lda, const tegula_complex64 *tau, tegula_complex64 *c, const int *ldc, tegula_complex64 *work, const int *lwork, int *info);

/* The X for which op(A) X - B is least, or of those for which it is zero the least. */
void sgels_(const char *trans, const int *m, const int *n, const int *nrhs, float *a, const int *lda, float *b, const int *ldb, float *work, const int *lwork, int *info);
void dgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb, double *work, const int *lwork, int *info);
void cgels_(const char *trans, const int *m, const int *n, const int *nrhs, tegula_complex32 *a, const int *lda, tegula_complex32 *b, const int *ldb, tegula_complex32 *work, const int *lwork, int *info);
void zgels_(const char *trans, const int *m, const int *n, const int *nrhs, tegula_complex64 *a, const int *lda, tegula_complex64 *b, const int *ldb, tegula_complex64 *work, const int *lwork, int *info);

/* A = L L^H or A = U^H U, of a positive definite matrix. */
void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void cpotrf_(const char *uplo, const int *n, tegula_complex32 *a, const int *lda, int *info);
void zpotrf_(const char *uplo, const int *n, tegula_complex64 *a, const int *lda, int *info);

/* The same as xPOTRF. */
void spotrf2_(const char *uplo, const int *n, float *a, const int *lda, int *info);
void dpotrf2_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void cpotrf2_(const char *uplo, const int *n, tegula_complex32 *a, const int *lda, int *info);
void zpotrf2_(const char *uplo, const int *n, tegula_complex64 *a, const int *lda, int *info);
void spotf2_(const char *uplo, const int *n, float *a, const int *lda, int *info);
void dpotf2_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void cpotf2_(const char *uplo, const int *n, tegula_complex32 *a, const int *lda, int *info);
void zpotf2_(const char *uplo, const int *n, tegula_complex64 *a, const int *lda, int *info);

/* A triangle of inv(A) in place of the factor of A that xPOTRF has left. */
void spotri_(const char *uplo, const int *n, float *a, const int *lda, int *info);
void dpotri_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void cpotri_(const char *uplo, const int *n, tegula_complex32 *a, const int *lda, int *info);
void zpotri_(const char *uplo, const int *n, tegula_complex64 *a, const int *lda, int *info);

/* B = inv(A) B, with the factor of A that xPOTRF has left. */
void spotrs_(const char *uplo, const int *n, const int *nrhs, const float *a, const int *lda, float *b, const int *ldb, int *info);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b, const int *ldb, int *info);
void cpotrs_(const char *uplo, const int *n, const int *nrhs, const tegula_complex32 *a, const int *lda, tegula_complex32 *b, const int *ldb, int *info);
void zpotrs_(const char *uplo, const int *n, const int *nrhs, const tegula_complex64 *a, const int *lda, tegula_complex64 *b, const int *ldb, int *info);

/* B = inv(A) B, with a positive definite matrix A, which is factorised. */
void sposv_(const char *uplo, const int *n, const int *nrhs, float *a, const int *lda, float *b, const int *ldb, int *info);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb, int *info);
void cposv_(const char *uplo, const int *n, const int *nrhs, tegula_complex32 *a, const int *lda, tegula_complex32 *b, const int *ldb, int *info);
void zposv_(const char *uplo, const int *n, const int *nrhs, tegula_complex64 *a, const int *lda, tegula_complex64 *b, const int *ldb, int *info);

/* L^H L in place of L, or U U^H in place of U. */
void slauum_(const char *uplo, const int *n, float *a, const int *lda, int *info);
void dlauum_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void clauum_(const char *uplo, const int *n, tegula_complex32 *a, const int *lda, int *info);
void zlauum_(const char *uplo, const int *n, tegula_complex64 *a, const int *lda, int *info);

/* The same as xLAUUM. */
void slauu2_(const char *uplo, const int *n, float *a, const int *lda, int *info);
void dlauu2_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void clauu2_(const char *uplo, const int *n, tegula_complex32 *a, const int *lda, int *info);
void zlauu2_(const char *uplo, const int *n, tegula_complex64 *a, const int *lda, int *info);

/* The inverse of a triangular matrix, in place. */
void strtri_(const char *uplo, const char *diag, const int *n, float *a, const int *lda, int *info);
void dtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *lda, int *info);
void ctrtri_(const char *uplo, const char *diag, const int *n, tegula_complex32 *a, const int *lda, int *info);
void ztrtri_(const char *uplo, const char *diag, const int *n, tegula_complex64 *a, const int *lda, int *info);

/* B = inv(op(A)) B, with a triangular matrix A, if none of its diagonal entries is zero. */
void strtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs, const float *a, const int *lda, float *b, const int *ldb, int *info);
void dtrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs, const double *a, const int *lda, double *b, const int *ldb, int *info);
void ctrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs, const tegula_complex32 *a, const int *lda, tegula_complex32 *b, const int *ldb, int *info);
void ztrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs, const tegula_complex64 *a, const int *lda, tegula_complex64 *b, const int *ldb, int *info);

/* X = inv(A) B by factors of 32 bits and refinement, or else by factors of 64. */
void dsgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, const double *b, const int *ldb, double *x, const int *ldx, double *work, float *swork, int *iter, int *info);
void zcgesv_(const int *n, const int *nrhs, tegula_complex64 *a, const int *lda, int *ipiv, const tegula_complex64 *b, const int *ldb, tegula_complex64 *x, const int *ldx, tegula_complex64 *work, tegula_complex32 *swork, double *rwork, int *iter, int *info);

/* X = inv(A) B, A positive definite, by factors of 32 bits and refinement, or else of 64. */
void dsposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, const double *b, const int *ldb, double *x, const int *ldx, double *work, float *swork, int *iter, int *info);
void zcposv_(const char *uplo, const int *n, const int *nrhs, tegula_complex64 *a, const int *lda, const tegula_complex64 *b, const int *ldb, tegula_complex64 *x, const int *ldx, tegula_complex64 *work, tegula_complex32 *swork, double *rwork, int *iter, int *info);

/* Eigenvalues of a symmetric matrix, and its eigenvectors in place of it if jobz is V. */
void ssyev_(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w, float *work, const int *lwork, int *info);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work, const int *lwork, int *info);

/* Eigenvalues of a Hermitian matrix, and its eigenvectors in place of it if jobz is V. */
void cheev_(const char *jobz, const char *uplo, const int *n, tegula_complex32 *a, const int *lda, float *w, tegula_complex32 *work, const int *lwork, float *rwork, int *info);
void zheev_(const char *jobz, const char *uplo, const int *n, tegula_complex64 *a, const int *lda, double *w, tegula_complex64 *work, const int *lwork, double *rwork, int *info);

/* Eigenvalues of a symmetric matrix, and its eigenvectors in place of it if jobz is V. */
void ssyevd_(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w, float *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work, const int *lwork, int *iwork, const int *liwork, int *info);

/* Eigenvalues of a Hermitian matrix, and its eigenvectors in place of it if jobz is V. */
void cheevd_(const char *jobz, const char *uplo, const int *n, tegula_complex32 *a, const int *lda, float *w, tegula_complex32 *work, const int *lwork, float *rwork, const int *lrwork, int *iwork, const int *liwork, int *info);
void zheevd_(const char *jobz, const char *uplo, const int *n, tegula_complex64 *a, const int *lda, double *w, tegula_complex64 *work, const int *lwork, double *rwork, const int *lrwork, int *iwork, const int *liwork, int *info);

/* Singular values and vectors, A = U S V^T. */
void sgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, float *a, const int *lda, float *s, float *u, const int *ldu, float *vt, const int *ldvt, float *work, const int *lwork, int *info);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info);

/* Singular values and vectors, A = U S V^H. */
void cgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, tegula_complex32 *a, const int *lda, float *s, tegula_complex32 *u, const int *ldu, tegula_complex32 *vt, const int *ldvt, tegula_complex32 *work, const int *lwork, float *rwork, int *info);
void zgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, tegula_complex64 *a, const int *lda, double *s, tegula_complex64 *u, const int *ldu, tegula_complex64 *vt, const int *ldvt, tegula_complex64 *work, const int *lwork, double *rwork, int *info);

/* Singular values and vectors, A = U S V^T. */
void sgesdd_(const char *jobz, const int *m, const int *n, float *a, const int *lda, float *s, float *u, const int *ldu, float *vt, const int *ldvt, float *work, const int *lwork, int *iwork, int *info);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info);

/* Singular values and vectors, A = U S V^H. */
void cgesdd_(const char *jobz, const int *m, const int *n, tegula_complex32 *a, const int *lda, float *s, tegula_complex32 *u, const int *ldu, tegula_complex32 *vt, const int *ldvt, tegula_complex32 *work, const int *lwork, float *rwork, int *iwork, int *info);
void zgesdd_(const char *jobz, const int *m, const int *n, tegula_complex64 *a, const int *lda, double *s, tegula_complex64 *u, const int *ldu, tegula_complex64 *vt, const int *ldvt, tegula_complex64 *work, const int *lwork, double *rwork, int *iwork, int *info);

/* A norm of a matrix: its largest entry, or the 1, infinity or Frobenius norm. */
float slange_(const char *norm, const int *m, const int *n, const float *a, const int *lda, float *work);
double dlange_(const char *norm, const int *m, const int *n, const double *a, const int *lda, double *work);
float clange_(const char *norm, const int *m, const int *n, const tegula_complex32 *a, const int *lda, float *work);
double zlange_(const char *norm, const int *m, const int *n, const tegula_complex64 *a, const int *lda, double *work);

/* A norm of a symmetric matrix. */
float slansy_(const char *norm, const char *uplo, const int *n, const float *a, const int *lda, float *work);
double dlansy_(const char *norm, const char *uplo, const int *n, const double *a, const int *lda, double *work);
float clansy_(const char *norm, const char *uplo, const int *n, const tegula_complex32 *a, const int *lda, float *work);
double zlansy_(const char *norm, const char *uplo, const int *n, const tegula_complex64 *a, const int *lda, double *work);

/* A norm of a Hermitian matrix. */
float clanhe_(const char *norm, const char *uplo, const int *n, const tegula_complex32 *a, const int *lda, float *work);
double zlanhe_(const char *norm, const char *uplo, const int *n, const tegula_complex64 *a, const int *lda, double *work);

/* A norm of a triangular or trapezoidal matrix. */
float slantr_(const char *norm, const char *uplo, const char *diag, const int *m, const int *n, const float *a, const int *lda, float *work);
double dlantr_(const char *norm, const char *uplo, const char *diag, const int *m, const int *n, const double *a, const int *lda, double *work);
float clantr_(const char *norm, const char *uplo, const char *diag, const int *m, const int *n, const tegula_complex32 *a, const int *lda, float *work);
double zlantr_(const char *norm, const char *uplo, const char *diag, const int *m, const int *n, const tegula_complex64 *a, const int *lda, double *work);

/* B = A, or a triangle of it. */
void slacpy_(const char *uplo, const int *m, const int *n, const float *a, const int *lda, float *b, const int *ldb);
void dlacpy_(const char *uplo, const int *m, const int *n, const double *a, const int *lda, double *b, const int *ldb);
void clacpy_(const char *uplo, const int *m, const int *n, const tegula_complex32 *a, const int *lda, tegula_complex32 *b, const int *ldb);
void zlacpy_(const char *uplo, const int *m, const int *n, const tegula_complex64 *a, const int *lda, tegula_complex64 *b, const int *ldb);

/* alpha outside the diagonal, or in a triangle without it, and beta on it. */
void slaset_(const char *uplo, const int *m, const int *n, const float *alpha, const float *beta, float *a, const int *lda);
void dlaset_(const char *uplo, const int *m, const int *n, const double *alpha, const double *beta, double *a, const int *lda);
void claset_(const char *uplo, const int *m, const int *n, const tegula_complex32 *alpha, const tegula_complex32 *beta, tegula_complex32 *a, const int *lda);
void zlaset_(const char *uplo, const int *m, const int *n, const tegula_complex64 *alpha, const tegula_complex64 *beta, tegula_complex64 *a, const int *lda);

/* Rows k1 to k2 change places with the rows that ipiv says, one after the other. */
void slaswp_(const int *n, float *a, const int *lda, const int *k1, const int *k2, const int *ipiv, const int *incx);
void dlaswp_(const int *n, double *a, const int *lda, const int *k1, const int *k2, const int *ipiv, const int *incx);
void claswp_(const int *n, tegula_complex32 *a, const int *lda, const int *k1, const int *k2, const int *ipiv, const int *incx);
void zlaswp_(const int *n, tegula_complex64 *a, const int *lda, const int *k1, const int *k2, const int *ipiv, const int *incx);

/* A = (cto / cfrom) A, of a full, triangular, Hessenberg or band matrix. */
void slascl_(const char *type_, const int *kl, const int *ku, const float *cfrom, const float *cto, const int *m, const int *n, float *a, const int *lda, int *info);
void dlascl_(const char *type_, const int *kl, const int *ku, const double *cfrom, const double *cto, const int *m, const int *n, double *a, const int *lda, int *info);
void clascl_(const char *type_, const int *kl, const int *ku, const float *cfrom, const float *cto, const int *m, const int *n, tegula_complex32 *a, const int *lda, int *info);
void zlascl_(const char *type_, const int *kl, const int *ku, const double *cfrom, const double *cto, const int *m, const int *n, tegula_complex64 *a, const int *lda, int *info);

#ifdef __cplusplus
}
#endif
#endif
