//! Has a release build take in the console and the documentation again when they were built anew. (Others read their folders
//! while they run.)

use std::{env, path::Path};

/// The build folders, and a folder around each.
const BUILT: [(&str, &str); 2] = [
    ("../../ui/dist", "../../ui"),
    ("../../docs/.vitepress/dist", "../../docs/.vitepress"),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    for (folder, around) in BUILT {
        // What is not there counts as changed each time. The folder around it changes when it comes.
        let watched = if Path::new(folder).is_dir() {
            folder
        } else {
            around
        };
        println!("cargo:rerun-if-changed={watched}");
    }
}
