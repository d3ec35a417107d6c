/* ScaLAPACK's and PBLAS's routines as Fortran calls them: all arguments by pointer, integers of 32 bits.
 * Written by `cargo run -p tegula-capi --example header scalapack`.
 *
 * Grids of processes and descriptors of matrices come from the program's own BLACS and ScaLAPACK. */
#ifndef TEGULA_SCALAPACK_H
#define TEGULA_SCALAPACK_H
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

/* C = alpha op(A) op(B) + beta C, of matrices over a grid of processes. */
void psgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha, const float *a, const int *ia, const int *ja, const int *desca, const float *b, const int *ib, const int *jb, const int *descb, const float *beta, float *c, const int *ic, const int *jc, const int *descc);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha, const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib, const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc, const int *descc);
void pcgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *ia, const int *ja, const int *desca, const tegula_complex32 *b, const int *ib, const int *jb, const int *descb, const tegula_complex32 *beta, tegula_complex32 *c, const int *ic, const int *jc, const int *descc);
void pzgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *ia, const int *ja, const int *desca, const tegula_complex64 *b, const int *ib, const int *jb, const int *descb, const tegula_complex64 *beta, tegula_complex64 *c, const int *ic, const int *jc, const int *descc);

/* B = alpha inv(op(A)) B, or B = alpha B inv(op(A)), with a triangular matrix A, over a grid. */
void pstrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n, const float *alpha, const float *a, const int *ia, const int *ja, const int *desca, float *b, const int *ib, const int *jb, const int *descb);
void pdtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja, const int *desca, double *b, const int *ib, const int *jb, const int *descb);
void pctrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n, const tegula_complex32 *alpha, const tegula_complex32 *a, const int *ia, const int *ja, const int *desca, tegula_complex32 *b, const int *ib, const int *jb, const int *descb);
void pztrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n, const tegula_complex64 *alpha, const tegula_complex64 *a, const int *ia, const int *ja, const int *desca, tegula_complex64 *b, const int *ib, const int *jb, const int *descb);

/* A = L L^H or A = U^H U, of a positive definite matrix over a grid of processes. */
void pspotrf_(const char *uplo, const int *n, float *a, const int *ia, const int *ja, const int *desca, int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *info);
void pcpotrf_(const char *uplo, const int *n, tegula_complex32 *a, const int *ia, const int *ja, const int *desca, int *info);
void pzpotrf_(const char *uplo, const int *n, tegula_complex64 *a, const int *ia, const int *ja, const int *desca, int *info);

/* Solves A X = B with a positive definite matrix over a grid of processes. */
void psposv_(const char *uplo, const int *n, const int *nrhs, float *a, const int *ia, const int *ja, const int *desca, float *b, const int *ib, const int *jb, const int *descb, int *info);
void pdposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *ia, const int *ja, const int *desca, double *b, const int *ib, const int *jb, const int *descb, int *info);
void pcposv_(const char *uplo, const int *n, const int *nrhs, tegula_complex32 *a, const int *ia, const int *ja, const int *desca, tegula_complex32 *b, const int *ib, const int *jb, const int *descb, int *info);
void pzposv_(const char *uplo, const int *n, const int *nrhs, tegula_complex64 *a, const int *ia, const int *ja, const int *desca, tegula_complex64 *b, const int *ib, const int *jb, const int *descb, int *info);

/* A = P L U, with exchanges of rows, of a matrix over a grid of processes. */
void psgetrf_(const int *m, const int *n, float *a, const int *ia, const int *ja, const int *desca, int *ipiv, int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *ipiv, int *info);
void pcgetrf_(const int *m, const int *n, tegula_complex32 *a, const int *ia, const int *ja, const int *desca, int *ipiv, int *info);
void pzgetrf_(const int *m, const int *n, tegula_complex64 *a, const int *ia, const int *ja, const int *desca, int *ipiv, int *info);

/* Solves A X = B with a general matrix over a grid of processes. */
void psgesv_(const int *n, const int *nrhs, float *a, const int *ia, const int *ja, const int *desca, int *ipiv, float *b, const int *ib, const int *jb, const int *descb, int *info);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia, const int *ja, const int *desca, int *ipiv, double *b, const int *ib, const int *jb, const int *descb, int *info);
void pcgesv_(const int *n, const int *nrhs, tegula_complex32 *a, const int *ia, const int *ja, const int *desca, int *ipiv, tegula_complex32 *b, const int *ib, const int *jb, const int *descb, int *info);
void pzgesv_(const int *n, const int *nrhs, tegula_complex64 *a, const int *ia, const int *ja, const int *desca, int *ipiv, tegula_complex64 *b, const int *ib, const int *jb, const int *descb, int *info);

/* A = Q R, of a matrix over a grid of processes. */
void psgeqrf_(const int *m, const int *n, float *a, const int *ia, const int *ja, const int *desca, float *tau, float *work, const int *lwork, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *tau, double *work, const int *lwork, int *info);
void pcgeqrf_(const int *m, const int *n, tegula_complex32 *a, const int *ia, const int *ja, const int *desca, tegula_complex32 *tau, tegula_complex32 *work, const int *lwork, int *info);
void pzgeqrf_(const int *m, const int *n, tegula_complex64 *a, const int *ia, const int *ja, const int *desca, tegula_complex64 *tau, tegula_complex64 *work, const int *lwork, int *info);

/* The X for which op(A) X - B is least, or of those for which it is zero the least, over a grid. */
void psgels_(const char *trans, const int *m, const int *n, const int *nrhs, float *a, const int *ia, const int *ja, const int *desca, float *b, const int *ib, const int *jb, const int *descb, float *work, const int *lwork, int *info);
void pdgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a, const int *ia, const int *ja, const int *desca, double *b, const int *ib, const int *jb, const int *descb, double *work, const int *lwork, int *info);
void pcgels_(const char *trans, const int *m, const int *n, const int *nrhs, tegula_complex32 *a, const int *ia, const int *ja, const int *desca, tegula_complex32 *b, const int *ib, const int *jb, const int *descb, tegula_complex32 *work, const int *lwork, int *info);
void pzgels_(const char *trans, const int *m, const int *n, const int *nrhs, tegula_complex64 *a, const int *ia, const int *ja, const int *desca, tegula_complex64 *b, const int *ib, const int *jb, const int *descb, tegula_complex64 *work, const int *lwork, int *info);

/* Eigenvalues and eigenvectors of a symmetric matrix over a grid of processes. */
void pssyev_(const char *jobz, const char *uplo, const int *n, float *a, const int *ia, const int *ja, const int *desca, float *w, float *z, const int *iz, const int *jz, const int *descz, float *work, const int *lwork, int *info);
void pdsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *w, double *z, const int *iz, const int *jz, const int *descz, double *work, const int *lwork, int *info);

/* Eigenvalues and eigenvectors of a Hermitian matrix over a grid of processes. */
void pcheev_(const char *jobz, const char *uplo, const int *n, tegula_complex32 *a, const int *ia, const int *ja, const int *desca, float *w, tegula_complex32 *z, const int *iz, const int *jz, const int *descz, tegula_complex32 *work, const int *lwork, float *rwork, const int *lrwork, int *info);
void pzheev_(const char *jobz, const char *uplo, const int *n, tegula_complex64 *a, const int *ia, const int *ja, const int *desca, double *w, tegula_complex64 *z, const int *iz, const int *jz, const int *descz, tegula_complex64 *work, const int *lwork, double *rwork, const int *lrwork, int *info);

/* Singular values and vectors, A = U S V^T, of a matrix over a grid of processes. */
void psgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, float *a, const int *ia, const int *ja, const int *desca, float *s, float *u, const int *iu, const int *ju, const int *descu, float *vt, const int *ivt, const int *jvt, const int *descvt, float *work, const int *lwork, int *info);
void pdgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *s, double *u, const int *iu, const int *ju, const int *descu, double *vt, const int *ivt, const int *jvt, const int *descvt, double *work, const int *lwork, int *info);

/* Singular values and vectors, A = U S V^H, of a matrix over a grid of processes. */
void pcgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, tegula_complex32 *a, const int *ia, const int *ja, const int *desca, float *s, tegula_complex32 *u, const int *iu, const int *ju, const int *descu, tegula_complex32 *vt, const int *ivt, const int *jvt, const int *descvt, tegula_complex32 *work, const int *lwork, float *rwork, int *info);
void pzgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, tegula_complex64 *a, const int *ia, const int *ja, const int *desca, double *s, tegula_complex64 *u, const int *iu, const int *ju, const int *descu, tegula_complex64 *vt, const int *ivt, const int *jvt, const int *descvt, tegula_complex64 *work, const int *lwork, double *rwork, int *info);

#ifdef __cplusplus
}
#endif
#endif
