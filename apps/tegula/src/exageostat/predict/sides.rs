//! `--block`: the rectangle about each place that is predicted.

use std::fmt;
use std::str::FromStr;

use anyhow::Result;
use tegula_exageostat::block::Block;
use tegula_exageostat::transform::Transform;
use tegula_kernels::geometry::Geometry;

use super::Predict;
use crate::error::refused;
use crate::exageostat::data::Data;
use crate::exageostat::model_file::ModelFile;
use crate::output::number;

/// The sides of a block.
#[derive(Clone, Debug)]
pub(super) struct Sides(pub(super) Vec<f64>);

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|side| *side >= 0.0);
        let sides: Option<Vec<f64>> = text.split('x').map(number).collect();
        sides.map(Self).ok_or_else(|| "write WIDTH or WIDTHxHEIGHT, as 40x20".to_owned())
    }
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides: Vec<String> = self.0.iter().map(f64::to_string).collect();
        f.write_str(&sides.join(" x "))
    }
}

impl Sides {
    /// A remark where blocks are longer than the data reach.
    pub(super) fn remark(&self, data: &Data) -> Option<String> {
        let (points, names) = (&data.observations.points, data.coordinates.texts());
        let (first, last) = (self.0.first()?, self.0.len() - 1);
        let long = (0..points.geometry().dimensions()).find_map(|axis| {
            let side = self.0.get(axis.min(last)).unwrap_or(first);
            let at = || (0..points.len()).map(|i| points.point(i)[axis]);
            let low = at().fold(f64::INFINITY, f64::min);
            let reach = at().fold(f64::NEG_INFINITY, f64::max) - low;
            (*side > reach).then_some((side, names[axis], reach))
        });
        let (side, name, reach) = long?;
        let reach = number(reach, 4);
        Some(format!(
            "a block is {side} along {name}, and the data reach over {reach}: most of it lies where \
             nothing was observed"
        ))
    }
}

impl Predict {
    /// The block about each place, if one is asked for.
    pub(super) fn block(&self, file: &ModelFile, data: &Data) -> Result<Option<Block>> {
        let Some(Sides(sides)) = &self.block else { return Ok(None) };
        if file.transform != Transform::None {
            return Err(refused(format!(
                "--block: the mean of a block is one of transformed values here, which tells little \
                 of the values ({}): fit without --transform",
                file.transform.name()
            )));
        }
        let geometry = match file.distance.is_on_sphere() {
            true => Geometry::GreatCircle,
            false => data.observations.points.geometry(),
        };
        let block = Block::new(geometry, sides, &file.model);
        block.map(Some).map_err(|error| refused(format!("--block: {error}")))
    }
}
