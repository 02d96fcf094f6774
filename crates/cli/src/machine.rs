//! The processor that this program runs on.

/// Returns the processor's name as the operating system reports it, or else the architecture.
#[must_use]
pub fn cpu() -> String {
    let found = asked().map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
    found.filter(|name| !name.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn asked() -> Option<String> {
    model_name(&std::fs::read_to_string("/proc/cpuinfo").ok()?)
}

#[cfg(target_os = "macos")]
fn asked() -> Option<String> {
    let asked = std::process::Command::new("/usr/sbin/sysctl")
        .args(["-n", "machdep.cpu.brand_string"])
        .output()
        .ok()?;
    String::from_utf8(asked.stdout).ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
fn asked() -> Option<String> {
    // Windows sets it for every process.
    std::env::var("PROCESSOR_IDENTIFIER").ok()
}

/// Returns the first name in the text of `/proc/cpuinfo`: `model name` on x86, `cpu model` or `cpu`
/// on other architectures; 64-bit Arm has none.
#[cfg(any(target_os = "linux", target_os = "android", test))]
fn model_name(cpuinfo: &str) -> Option<String> {
    let value = |key: &str| {
        cpuinfo
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(found, _)| found.trim() == key)
            .map(|(_, value)| value.trim().to_owned())
    };
    ["model name", "cpu model", "cpu"].into_iter().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::{cpu, model_name};

    #[test]
    fn model_names() {
        let x86 = "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Some CPU @ 2.00GHz\n";
        assert_eq!(model_name(x86).as_deref(), Some("Some CPU @ 2.00GHz"));
        let power = "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n";
        assert_eq!(model_name(power).as_deref(), Some("POWER9, altivec supported"));
        assert_eq!(model_name("processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
    }

    #[test]
    fn there_is_always_a_name() {
        assert!(!cpu().is_empty());
    }
}
