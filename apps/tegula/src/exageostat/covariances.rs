//! `tegula exageostat covariances`: what the covariances are.

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_exageostat::covariance::{
    COMPOSITES, COVARIANCES, Covariance, FORMS, Form, Parameter, find, plain,
};

use crate::flags::OutputFlags;
use crate::output::Console;

/// Flags of `covariances`.
#[derive(Args, Debug)]
pub(crate) struct Covariances {
    #[command(flatten)]
    output: OutputFlags,
}

impl Covariances {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        console.line("--params takes the parameters in the order below, or as name=value,...");
        console.line("d is the distance; a nugget (--nugget, --estimate-nugget) is apart.");
        COVARIANCES.iter().for_each(|covariance| describe(covariance, &console));
        console.line("\nEach of them, NAME, has forms that depend on direction:");
        FORMS.iter().for_each(|form| describe_form(form, &console));
        console
            .line("\nRanges with directions are distances: in powered-exponential they are inside");
        console
            .line("the power. gstat's angle is clockwise from the second coordinate: 90 - angle.");
        console
            .line("\nSums of them are NAME+NAME, as matern+exponential: their parameters have the");
        console.line("number of the term, variance1, range1, .., variance2, range2.");
        console.line(
            "\nOf several variables (--values z1,z2), and in space and time (--time t), with",
        );
        console.line("M(x; s) = 2^(1-s) / Gamma(s) * x^s * K_s(x):");
        COMPOSITES.iter().for_each(|covariance| describe(covariance, &console));
        let listed = COVARIANCES.iter().chain(COMPOSITES);
        self.output.write(&json!({
            "covariances": listed.map(describe_json).collect::<Vec<_>>(),
            "forms": FORMS.iter().map(form_json).collect::<Vec<_>>(),
        }))?;
        console.finish()
    }
}

fn describe(covariance: &Covariance, console: &Console) {
    let names: Vec<&str> = covariance.parameters.iter().map(|parameter| parameter.name).collect();
    console.line(format_args!("\n{} ({})", covariance.name, names.join(",")));
    console.line(format_args!("  {}", covariance.formula));
    describe_parameters(covariance.parameters, console);
    console.line(format_args!("  valid {}", covariance.validity));
    console.line(format_args!("  {}", covariance.citation));
}

/// Prints what a form adds to covariances.
fn describe_form(form: &Form, console: &Console) {
    console.line(format_args!("\nNAME:{} ({})", form.name, form.parameters));
    console.line(format_args!("  that of NAME with {}", form.formula));
    describe_parameters(&own(form), console);
    console.line(format_args!("  valid {} with Euclidean distance", of_listed(form).validity));
}

/// The form of a covariance that has no parameters but variance and range.
fn of_listed(form: &Form) -> &'static Covariance {
    find(&format!("exponential:{}", form.name)).expect("every covariance has every form")
}

/// The parameters that a form has of its own.
fn own(form: &Form) -> Vec<Parameter> {
    let is_own = |one: &&Parameter| one.name != "variance" && one.name != "range";
    of_listed(form).parameters.iter().filter(is_own).copied().collect()
}

fn describe_parameters(parameters: &[Parameter], console: &Console) {
    let width = parameters.iter().map(|parameter| parameter.name.len()).max().unwrap_or(0).max(11);
    for parameter in parameters {
        let most = if parameter.most < f64::MAX {
            format!(", at most {}", plain(parameter.most))
        } else {
            String::new()
        };
        console.line(format_args!(
            "    {:<width$} {} ({}{most})",
            parameter.name,
            parameter.meaning,
            parameter.beginning()
        ));
    }
}

fn parameters_json(parameters: &[Parameter]) -> Vec<Value> {
    let one = |parameter: &Parameter| {
        json!({
            "name": parameter.name,
            "meaning": parameter.meaning,
            "default": parameter.default,
            "above": (!parameter.may_be_zero() && parameter.above > -f64::MAX)
                .then_some(parameter.above),
            "least": parameter.may_be_zero().then_some(0),
            "most": (parameter.most < f64::MAX).then_some(parameter.most),
        })
    };
    parameters.iter().map(one).collect()
}

fn form_json(form: &Form) -> Value {
    json!({
        "name": form.name,
        "parameters": parameters_json(&own(form)),
        "formula": form.formula,
        "geometry": form.geometry.name(),
    })
}

fn describe_json(covariance: &Covariance) -> Value {
    json!({
        "name": covariance.name,
        "variables": covariance.variables(),
        "time": covariance.has_time(),
        "has_forms": covariance.is_radial(),
        "parameters": parameters_json(covariance.parameters),
        "formula": covariance.formula,
        "validity": covariance.validity,
        "citation": covariance.citation,
    })
}
