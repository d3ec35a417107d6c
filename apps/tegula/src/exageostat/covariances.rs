//! `tegula exageostat covariances`: what the covariances are.

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tegula_exageostat::covariance::{COVARIANCES, Covariance, plain};

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
        self.output.write(
            &json!({ "covariances": COVARIANCES.iter().map(describe_json).collect::<Vec<_>>() }),
        )?;
        console.finish()
    }
}

fn describe(covariance: &Covariance, console: &Console) {
    let names: Vec<&str> = covariance.parameters.iter().map(|parameter| parameter.name).collect();
    console.line(format_args!("\n{} ({})", covariance.name, names.join(",")));
    console.line(format_args!("  {}", covariance.formula));
    for parameter in covariance.parameters {
        let most = if parameter.most < f64::MAX {
            format!(", at most {}", plain(parameter.most))
        } else {
            String::new()
        };
        console.line(format_args!(
            "    {:<11} {} (above {}{most})",
            parameter.name,
            parameter.meaning,
            plain(parameter.above)
        ));
    }
    console.line(format_args!("  valid {}", covariance.validity));
    console.line(format_args!("  {}", covariance.citation));
}

fn describe_json(covariance: &Covariance) -> Value {
    let parameters: Vec<Value> = covariance
        .parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "meaning": parameter.meaning,
                "default": parameter.default,
                "above": parameter.above,
                "most": (parameter.most < f64::MAX).then_some(parameter.most),
            })
        })
        .collect();
    json!({
        "name": covariance.name,
        "parameters": parameters,
        "formula": covariance.formula,
        "validity": covariance.validity,
        "citation": covariance.citation,
    })
}
