//! The machine of a measurement, with the day and the load.
use std::{fs, thread};

use anyhow::{Context, Result};
use oaklath_simd::Level;
use serde_json::json;

use crate::shell::{capture, command};

/// Returns the machine, the day and the load in the form that the tables read.
pub(crate) fn now() -> Result<String> {
    let day = capture(&mut command("date", "-u +%F"))?;
    let loads = fs::read_to_string("/proc/loadavg").context("the load of the machine")?;
    let load: f64 = loads.split(' ').next().unwrap_or_default().parse()?;
    let cpu = fs::read_to_string("/proc/cpuinfo").context("the name of the processor")?;
    let name = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let line = json!({
        "cpu": name.context("the processor has no name")?.1,
        "cores": thread::available_parallelism()?,
        "level": Level::get().name(),
        "measured": day.trim(),
        "load": load,
    });
    Ok(format!("{line}\n"))
}
