//! A covariance with values for its parameters, as kernels take it.

use std::borrow::Cow;

use tegula_kernels::geometry::{Geometry, Points};
use tegula_kernels::kernel::covariance::composite::Line;
use tegula_kernels::kernel::covariance::{Composite, RadialTable, Recipe};

use super::{Covariance, CovarianceError, Metric, check_nugget};

/// A covariance with values for its parameters.
#[derive(Clone, Debug)]
pub struct Law {
    /// What distance is measured by, if not as it is: tables are for places that it has mapped.
    pub metric: Option<Metric>,
    entries: Entries,
}

/// What entries are made from.
#[derive(Clone, Debug)]
enum Entries {
    Radial(Box<RadialTable>),
    Composite { recipe: Box<Recipe>, buffer: Vec<Line> },
}

impl Law {
    /// The table of a function of distance.
    ///
    /// # Panics
    /// If it is put together from several ([`Covariance::is_radial`]).
    #[must_use]
    pub fn table(&self) -> &RadialTable {
        match &self.entries {
            Entries::Radial(table) => table,
            Entries::Composite { .. } => panic!("a composite covariance has no table of its own"),
        }
    }

    /// This with another table of a function of distance.
    #[must_use]
    pub fn with_table(self, table: Box<RadialTable>) -> Self {
        Self { entries: Entries::Radial(table), ..self }
    }

    /// The buffer that kernels read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.entries {
            Entries::Radial(table) => bytemuck::bytes_of(&**table),
            Entries::Composite { buffer, .. } => bytemuck::cast_slice(buffer),
        }
    }

    /// What it is put together from, if it is.
    #[must_use]
    pub fn recipe(&self) -> Option<&Recipe> {
        match &self.entries {
            Entries::Radial(_) => None,
            Entries::Composite { recipe, .. } => Some(recipe),
        }
    }

    /// The variances of the field at `points`, each of the variable that it is marked with.
    #[must_use]
    pub fn variances(&self, points: &Points) -> Vec<f64> {
        if let Entries::Radial(table) = &self.entries {
            return vec![table.variance; points.len()];
        }
        let composite = Composite::new(self.bytes(), points.geometry());
        let own = |i: usize| {
            let at = points.block(i..i + 1);
            composite.value(&at, &at)
        };
        (0..points.len()).map(own).collect()
    }

    /// Whether `points` have the marks that it takes.
    #[must_use]
    pub fn takes(&self, points: &Points) -> bool {
        points.marks() == self.recipe().map_or(0, Recipe::marks)
    }

    /// The places whose distances are those of the table.
    #[must_use]
    pub fn places<'a>(&self, points: &'a Points) -> Cow<'a, Points> {
        match &self.metric {
            None => Cow::Borrowed(points),
            Some(metric) => Cow::Owned(points.mapped(&metric.matrix)),
        }
    }
}

impl Covariance {
    /// All that kernels take of it, for places in this `geometry`.
    ///
    /// # Errors
    /// If a parameter or the nugget is out of its bounds, or it is not one of such places.
    pub fn law(
        &self,
        geometry: Geometry,
        values: &[f64],
        nugget: f64,
    ) -> Result<Law, CovarianceError> {
        let metric = self.metric(geometry, values)?;
        let entries = match &self.composition {
            None => Entries::Radial(self.table(values, nugget)?),
            Some(composition) => {
                check_nugget(nugget)?;
                let (recipe, buffer) = composition.buffer(values, nugget, false)?;
                Entries::Composite { recipe: Box::new(recipe), buffer }
            }
        };
        Ok(Law { metric, entries })
    }
}
