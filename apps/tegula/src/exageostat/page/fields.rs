//! What a page shows apart: the variables of the observations, or the replicates of one.

use tegula_files::expression::Expression;

use super::super::data::Data;

/// Most replicates that are shown.
const MOST: usize = 4;

/// Observations that are shown together.
pub(super) struct Field<'a> {
    /// Their column or expression.
    pub(super) name: &'a str,
    /// Their numbers among all observations.
    pub(super) of: Vec<usize>,
    /// Their values as they were measured.
    pub(super) measured: Vec<f64>,
}

/// Each variable, or the first replicates.
pub(super) fn fields(data: &Data) -> Vec<Field<'_>> {
    let names = data.values.fields().map(Expression::text);
    if data.values.replicates() > 1 {
        let values = [&data.measured].into_iter().chain(&data.observations.replicates);
        let all = (0..data.measured.len()).collect::<Vec<usize>>();
        let field = |(name, values): (_, &Vec<f64>)| Field {
            name,
            of: all.clone(),
            measured: values.clone(),
        };
        return names.zip(values).take(MOST).map(field).collect();
    }
    let variables = data.variable_of();
    let field = |(variable, name)| {
        let of: Vec<usize> = (0..variables.len()).filter(|&i| variables[i] == variable).collect();
        let measured = of.iter().map(|&i| data.measured[i]).collect();
        Field { name, of, measured }
    };
    names.enumerate().map(field).collect()
}

/// What is said where there are replicates that are not shown.
pub(super) fn others(data: &Data) -> String {
    match data.values.replicates() {
        all if all > MOST => format!(" The first {MOST} of {all} replicates are shown."),
        _ => String::new(),
    }
}
