//! Writes the seeds of all corpora into `corpus/`.

use std::fs;

fn main() -> std::io::Result<()> {
    for target in targets::ALL {
        let folder = targets::corpus().join(target.name);
        fs::create_dir_all(&folder)?;
        let seeds = (target.seeds)();
        for (name, bytes) in &seeds {
            fs::write(folder.join(name), bytes)?;
        }
        let bytes: usize = seeds.iter().map(|(_, bytes)| bytes.len()).sum();
        println!("{:16} {:4} seeds, {bytes:6} bytes", target.name, seeds.len());
    }
    Ok(())
}
