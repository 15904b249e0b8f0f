//! The bundled example projects, laid out in a folder of their own for the demo.

use std::path::Path;

use anyhow::Context;

/// The files of the examples, by where they belong.
const FILES: &[(&str, &str)] = &[
    ("package.json", include_str!("../../../../../examples/shop/package.json")),
    ("src/cart.ts", include_str!("../../../../../examples/shop/src/cart.ts")),
    (CHECKOUT, include_str!("../../../../../examples/shop/before/src/checkout.ts")),
    ("src/prices.ts", include_str!("../../../../../examples/shop/src/prices.ts")),
    ("test/cart.test.ts", include_str!("../../../../../examples/shop/test/cart.test.ts")),
    ("test/checkout.test.ts", include_str!("../../../../../examples/shop/test/checkout.test.ts")),
    ("coverage/before.info", include_str!("../../../../../examples/shop/coverage/before.info")),
    ("coverage/after.info", include_str!("../../../../../examples/shop/coverage/after.info")),
    ("contracts/Vault.sol", include_str!("../../../../../examples/vault/contracts/Vault.sol")),
    ("artifacts/Vault.json", include_str!("../../../../../examples/vault/artifacts/Vault.json")),
];

/// The file that the demo changes.
const CHECKOUT: &str = "src/checkout.ts";

/// What it is changed to.
const CHANGED: &str = include_str!("../../../../../examples/shop/src/checkout.ts");

/// The change of the shop that the demo looks at.
pub(super) const CHANGE: &str = include_str!("../../../../../examples/shop/change.diff");

/// Makes the change, as somebody would who edits the file.
pub(super) fn change(folder: &Path) -> std::io::Result<()> {
    std::fs::write(folder.join(CHECKOUT), CHANGED)
}

/// Writes the examples into a folder.
pub(super) fn lay_out(folder: &Path) -> anyhow::Result<()> {
    for (name, text) in FILES {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .with_context(|| format!("{} can't be written", path.display()))?;
    }
    Ok(())
}
