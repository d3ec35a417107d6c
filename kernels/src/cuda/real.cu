
// What device code of real and of complex numbers calls by one name.
__device__ inline real number(double x) { return (real)x; }
__device__ inline double re(real x) { return (double)x; }
__device__ inline double im(real) { return 0.0; }
__device__ inline real conjugate(real x) { return x; }
__device__ inline real times(real x, base y) { return x * y; }
__device__ inline base modulus(real x) { return (base)fabs((double)x); }
__device__ inline real pair(double x, double) { return (real)x; }
__device__ inline other converted(real x) { return (other)x; }
