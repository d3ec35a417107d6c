//! `tegula bench covariance`: speed and accuracy of the covariances on one core.

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};
use tegula_exageostat::covariance::measure::measure;
use tegula_exageostat::covariance::{COVARIANCES, Covariance};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::Vectors;
use tegula_kernels::scalar::Precision;

use crate::flags::{OutputFlags, member, precision_parser};
use crate::output::{Align, Progress, Table, count, number, seconds};

/// Values of a third parameter, where there is one; those beyond its domain are left out.
const THIRD: [f64; 9] = [0.25, 0.5, 0.7, 1.0, 1.27, 1.5, 1.9, 2.3, 2.5];

/// Flags of `bench covariance`.
#[derive(Args, Debug)]
pub(crate) struct Covariances {
    /// One covariance [default: all]
    #[arg(long, value_name = "NAME", value_parser = member(COVARIANCES.iter().map(|covariance| (covariance.name, covariance.formula)).collect()))]
    covariance: Option<usize>,
    /// Where the points lie
    #[arg(long, value_name = "NAME", default_value = "plane", value_parser = member(Geometry::ALL.iter().map(|geometry| (geometry.name(), "")).collect()))]
    geometry: usize,
    /// One precision [default: both]
    #[arg(long, value_name = "P", value_parser = precision_parser())]
    precision: Option<Precision>,
    #[command(flatten)]
    output: OutputFlags,
}

impl Covariances {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        let vectors = Vectors::widest();
        console.line(format_args!(
            "tiles of 512 x 512 on one core, vectors {vectors:?}; errors against direct evaluation"
        ));
        let mut table = Table::new(&[
            ("covariance", Align::Left),
            ("parameters", Align::Left),
            ("precision", Align::Left),
            ("entries/s", Align::Right),
            ("direct/s", Align::Right),
            ("table", Align::Right),
            ("relative error", Align::Right),
        ]);
        let (mut rows, mut progress) = (Vec::new(), Progress::new(&console));
        let chosen = COVARIANCES.iter().enumerate();
        for (_, covariance) in
            chosen.filter(|(index, _)| self.covariance.is_none_or(|wanted| wanted == *index))
        {
            for values in variants(covariance) {
                for precision in Precision::REAL.into_iter().rev() {
                    if self.precision.is_none_or(|wanted| wanted == precision) {
                        progress.show(|_| format!("{} measured", count(rows.len(), "row")));
                        rows.push(self.measure(covariance, &values, precision, &mut table)?);
                    }
                }
            }
        }
        progress.clear();
        console.line(table);
        self.output.write(&json!({ "rows": rows }))?;
        console.finish()
    }

    /// Measures one covariance, adds it to `table` and returns it as JSON.
    fn measure(
        &self,
        covariance: &Covariance,
        values: &[f64],
        precision: Precision,
        table: &mut Table,
    ) -> Result<Value> {
        let geometry = Geometry::ALL[self.geometry];
        let measured = measure(covariance, values, geometry, precision, Vectors::widest())?;
        let names = || covariance.parameters.iter().map(|parameter| parameter.name);
        let pairs: Vec<String> =
            names().zip(values).map(|(name, value)| format!("{name}={value}")).collect();
        table.row(vec![
            covariance.name.to_owned(),
            pairs.join(","),
            precision.letter().to_owned(),
            number(measured.entries_per_second, 3),
            number(measured.direct_per_second, 3),
            seconds(measured.table_seconds),
            number(measured.relative_error, 2),
        ]);
        let params: Map<String, Value> =
            names().map(str::to_owned).zip(values.iter().map(|&value| value.into())).collect();
        Ok(json!({
            "covariance": covariance.name,
            "smoothness": params.get("smoothness"),
            "params": params,
            "geometry": geometry.name(),
            "precision": precision.letter(),
            "entries_per_second_per_core": measured.entries_per_second,
            "direct_per_second_per_core": measured.direct_per_second,
            "table_seconds": measured.table_seconds,
            "max_relative_error": measured.relative_error,
        }))
    }
}

/// The default parameters, with several values of the third if there is one.
fn variants(covariance: &Covariance) -> Vec<Vec<f64>> {
    let defaults = covariance.defaults();
    if defaults.len() < 3 {
        return vec![defaults];
    }
    let with = |value: f64| defaults[..2].iter().copied().chain([value]).collect::<Vec<f64>>();
    THIRD.into_iter().map(with).filter(|values| covariance.check(values).is_ok()).collect()
}
