//! Asks the linker for what the build needs to split the page's program (`xtask/src/site/split.rs`): the relocations,
//! from which it knows which function uses which.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_split = std::env::var_os("CARGO_FEATURE_SPLIT").is_some();
    let is_wasm = std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    if is_split && is_wasm {
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
