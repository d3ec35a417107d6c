//! Prints speed and accuracy of every covariance, on every kind of vectors of this processor.
#![allow(clippy::print_stdout)]

use tegula_exageostat::covariance::COVARIANCES;
use tegula_exageostat::covariance::measure::measure;
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::Vectors;
use tegula_kernels::scalar::Precision;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "covariance (parameters)                 geometry       vectors   precision  M/s  direct M/s  table us  error"
    );
    let mut cases: Vec<_> = COVARIANCES.iter().map(|c| (c, c.defaults())).collect();
    cases.extend(
        [[1.0, 0.1, 0.7], [1.0, 0.02, 0.7], [1.0, 0.1, 2.3]].map(|v| (cases[0].0, v.to_vec())),
    );
    for (covariance, mut values) in cases {
        for geometry in [Geometry::Plane, Geometry::Space, Geometry::GreatCircle] {
            if geometry == Geometry::GreatCircle {
                values[1] *= 1e4; // Kilometres.
            }
            for vectors in Vectors::available() {
                for precision in Precision::REAL {
                    let m = measure(covariance, &values, geometry, precision, vectors)?;
                    let name = format!("{} {values:?}", covariance.name);
                    println!(
                        "{name:40}{:15}{vectors:<10?}{precision:<9?}{:7.0}{:10.1}{:10.0}{:10.1e}",
                        geometry.name(),
                        m.entries_per_second / 1e6,
                        m.direct_per_second / 1e6,
                        m.table_seconds * 1e6,
                        m.relative_error
                    );
                }
            }
        }
    }
    Ok(())
}
