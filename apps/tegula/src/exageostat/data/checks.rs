//! What of data is refused for a covariance or a computation.

use anyhow::Result;
use tegula_exageostat::covariance::Covariance;

use super::Data;
use crate::error::refused;
use crate::output::{Console, count};

/// Groups of observations at one place that are listed.
const GROUPS_SHOWN: usize = 5;

impl Data {
    /// Whether these are one field, and the covariance one of distance alone: what the form of
    /// Vecchia's approximation for noise takes.
    pub(crate) fn is_plain(&self, covariance: &Covariance) -> bool {
        covariance.is_radial() && self.values.replicates() == 1
    }

    /// Refuses a covariance of another number of variables, or one that takes a time where there is
    /// none, or the other way round.
    ///
    /// # Errors
    /// With what to give.
    pub(crate) fn check_covariance(&self, covariance: &Covariance) -> Result<()> {
        let (name, wanted, found) = (covariance.name, covariance.variables(), self.variables());
        if wanted != found {
            let given = count(found, "variable");
            let wanted = count(wanted, "variable");
            return Err(refused(format!(
                "--covariance {name} is of {wanted}, and --values names {given} ({}): name {wanted}, \
                 or take a covariance of {given}",
                self.values.text()
            )));
        }
        match (covariance.has_time(), self.coordinates.time()) {
            (true, None) => Err(refused(format!(
                "--covariance {name} is in space and time: say which column is the time, as --time t"
            ))),
            (false, Some(time)) => Err(refused(format!(
                "--time {time}: {name} does not depend on time; take gneiting-matern or \
                 bivariate-gneiting-matern, or leave out --time"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses noise that differs from value to value where the likelihood is not exact.
    ///
    /// # Errors
    /// If there is such noise, and a `method` by name.
    pub(crate) fn check_noise(&self, method: Option<&str>) -> Result<()> {
        match (self.values.noise(), method) {
            (Some(noise), Some(name)) => Err(refused(format!(
                "--noise {noise}: --method {name} takes one nugget for all values: write exact"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses what is of a single field of a single variable at one time.
    ///
    /// # Errors
    /// If the data are of more; `what` names what is refused.
    pub(crate) fn check_single(&self, what: &str) -> Result<()> {
        if self.values.replicates() > 1 {
            return Err(refused(format!(
                "{what} is for one field, and these are {}: give one of them",
                count(self.values.replicates(), "replicate")
            )));
        }
        if self.variables() == 1 && self.coordinates.time().is_none() {
            return Ok(());
        }
        Err(refused(format!("{what} is for one variable without time")))
    }

    /// Refuses observations at the same place unless a nugget tells them apart.
    ///
    /// # Errors
    /// If there are some and `has_nugget` is false.
    pub(crate) fn check_places(
        &self,
        has_nugget: bool,
        remedy: &str,
        console: &Console,
    ) -> Result<()> {
        let groups = self.observations.coincident();
        if groups.is_empty() {
            return Ok(());
        }
        let lines = |group: &Vec<usize>| {
            let lines: Vec<String> =
                group.iter().take(6).map(|&i| self.table.line(self.rows[i]).to_string()).collect();
            let more = if group.len() > 6 { " ..." } else { "" };
            format!("{}s {}{more}", self.table.word(), lines.join(", "))
        };
        let listed: Vec<String> = groups.iter().take(GROUPS_SHOWN).map(lines).collect();
        let more = groups.len().saturating_sub(GROUPS_SHOWN);
        let more = if more > 0 { format!("; and {more} more places") } else { String::new() };
        let (file, places) = (self.table.path().display(), count(groups.len(), "place"));
        let found = format!(
            "{file}: {places} with more than one observation ({}{more})",
            listed.join("; ")
        );
        let noise = self.observations.noise.as_ref();
        if noise.is_some_and(|noise| noise.iter().all(|&noise| noise > 0.0)) {
            console.note(format_args!("{found}; their noise accounts for their differences"));
            return Ok(());
        }
        if has_nugget {
            console.note(format_args!("{found}; the nugget accounts for their differences"));
            return Ok(());
        }
        Err(refused(format!(
            "{found}. Without a nugget their covariance matrix is singular: {remedy}, or keep one \
             observation per place"
        )))
    }
}
