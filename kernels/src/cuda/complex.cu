
// Arithmetic of complex numbers, with the names that real ones have below.
__device__ inline real complex(base re, base im) {
    real z;
    z.x = re;
    z.y = im;
    return z;
}
__device__ inline real number(double x) { return complex((base)x, (base)0); }
__device__ inline double re(real z) { return (double)z.x; }
__device__ inline double im(real z) { return (double)z.y; }
__device__ inline real conjugate(real z) { return complex(z.x, -z.y); }
__device__ inline real times(real z, base x) { return complex(z.x * x, z.y * x); }
__device__ inline real operator-(real z) { return complex(-z.x, -z.y); }
__device__ inline real operator+(real z, real w) { return complex(z.x + w.x, z.y + w.y); }
__device__ inline real operator-(real z, real w) { return complex(z.x - w.x, z.y - w.y); }
__device__ inline real operator*(real z, real w) {
    return complex(z.x * w.x - z.y * w.y, z.x * w.y + z.y * w.x);
}
__device__ inline bool operator==(real z, real w) { return z.x == w.x && z.y == w.y; }
__device__ inline base modulus(real z) { return (base)hypot((double)z.x, (double)z.y); }

// Without overflow on the way: both parts of the divisor over the larger one.
__device__ inline real operator/(real z, real w) {
    bool turned = fabs((double)w.x) < fabs((double)w.y);
    base large = turned ? w.y : w.x, small = turned ? w.x : w.y;
    base ratio = small / large, length = large + small * ratio;
    real sum = turned ? complex(z.x * ratio + z.y, z.y * ratio - z.x)
                      : complex(z.x + z.y * ratio, z.y - z.x * ratio);
    return complex(sum.x / length, sum.y / length);
}
__device__ inline real pair(double x, double y) { return complex((base)x, (base)y); }
__device__ inline other converted(real z) {
    other w;
    w.x = (decltype(w.x))z.x;
    w.y = (decltype(w.y))z.y;
    return w;
}
