//! Has a release build take in the console again when it was built anew. (Others read its folder while they run.)

use std::{env, path::Path};

const BUILT: &str = "../../ui/dist";
const SOURCES: &str = "../../ui";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    // What is not there counts as changed each time. The folder above changes when it comes.
    let built = Path::new(BUILT).is_dir();
    println!(
        "cargo:rerun-if-changed={}",
        if built { BUILT } else { SOURCES }
    );
}
