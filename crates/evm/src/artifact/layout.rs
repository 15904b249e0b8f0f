//! solc's storage layout: which variable lives in which slot.

use serde_json::Value as Json;
use std::collections::BTreeMap;

/// The storage layout of a contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageLayout {
    /// Variables in the order of their slots.
    pub variables: Vec<StorageVariable>,
}

/// A state variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageVariable {
    /// The variable's name.
    pub name: String,
    /// Its first slot.
    pub slot: u64,
    /// Byte offset in the slot, counted from the low end.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
    /// Solidity's name of its type.
    pub type_name: String,
    /// `mapping`, `inplace`, `dynamic_array` or `bytes`.
    pub encoding: String,
}

impl StorageLayout {
    /// Reads the `storageLayout` object of a compiler's output.
    pub(crate) fn read(json: &Json) -> Option<Self> {
        let types: BTreeMap<&str, &Json> =
            json.get("types")?.as_object()?.iter().map(|(k, v)| (k.as_str(), v)).collect();
        let entries = json.get("storage")?.as_array()?;
        let variables = entries.iter().filter_map(|entry| variable(entry, &types)).collect();
        Some(Self { variables })
    }

    /// The variables that lie in a slot.
    pub fn in_slot(&self, slot: u64) -> impl Iterator<Item = &StorageVariable> {
        self.variables.iter().filter(move |v| {
            let slots = u64::try_from(v.size.div_ceil(32)).unwrap_or(1).max(1);
            (v.slot..v.slot + slots).contains(&slot)
        })
    }
}

fn variable(entry: &Json, types: &BTreeMap<&str, &Json>) -> Option<StorageVariable> {
    let kind = types.get(entry.get("type")?.as_str()?)?;
    Some(StorageVariable {
        name: entry.get("label")?.as_str()?.to_owned(),
        slot: entry.get("slot")?.as_str()?.parse().ok()?,
        offset: entry.get("offset")?.as_u64()? as usize,
        size: kind.get("numberOfBytes")?.as_str()?.parse().ok()?,
        type_name: kind.get("label")?.as_str()?.to_owned(),
        encoding: kind.get("encoding")?.as_str()?.to_owned(),
    })
}
