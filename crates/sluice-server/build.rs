//! Has a release build take in the console again when it was built anew. (Others read its folder while they run.)

use std::{env, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    // A path that is not there would count as changed each time; what is above it changes when it comes.
    let watched = ["../../ui/dist", "../../ui"];
    if let Some(folder) = watched.iter().find(|folder| Path::new(folder).is_dir()) {
        println!("cargo:rerun-if-changed={folder}");
    }
}
