//! The program `classical` with every group and every signature of this workspace.

#[path = "shared/handshake.rs"]
mod handshake;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names = oaklath_hybrid::all().map(|group| group.info().name);
    let builder = oaklath_tls::Builder::new(oaklath_tls::default_base()).groups(names);
    handshake::run(builder.allow_legacy().build()?)
}
