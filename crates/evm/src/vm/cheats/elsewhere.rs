//! Cheatcodes that need what is not here, each with an answer that says so by its name.

use super::{Desk, Row};

/// Answers every one of a list of signatures with the same reason.
macro_rules! refused {
    ($reason:literal: $($signature:literal),* $(,)?) => {
        &[$(($signature, "", |_: &mut Desk<'_>, _| {
            Err(concat!("the cheatcode ", $signature, " is not supported: ", $reason).to_owned())
        })),*]
    };
}

pub(super) const FORKS: &[Row] = refused! {
    "no other chain can be reached from here; deploy what it needs in setUp() or with deployContracts":
    "createFork(string)", "createFork(string,uint256)", "createFork(string,bytes32)",
    "createSelectFork(string)", "createSelectFork(string,uint256)",
    "createSelectFork(string,bytes32)", "selectFork(uint256)", "activeFork()",
    "rollFork(uint256)", "rollFork(bytes32)", "rollFork(uint256,uint256)", "rollFork(uint256,bytes32)",
    "transact(bytes32)", "transact(uint256,bytes32)", "rpc(string,string)", "rpcUrl(string)",
    "rpcUrls()", "rpcUrlStructs()", "eth_getLogs(uint256,uint256,address,bytes32[])",
};

pub(super) const FILES: &[Row] = refused! {
    "files are neither read nor written while contracts run":
    "readFile(string)", "readFileBinary(string)", "readLine(string)", "readDir(string)",
    "writeFile(string,string)", "writeFileBinary(string,bytes)", "writeLine(string,string)",
    "removeFile(string)", "closeFile(string)", "exists(string)", "isFile(string)", "isDir(string)",
    "projectRoot()", "deployCode(string)",
    "deployCode(string,bytes)", "writeJson(string,string)", "writeJson(string,string,string)",
    "writeToml(string,string)", "createDir(string,bool)", "removeDir(string,bool)",
    "parseJson(string)", "parseJson(string,string)", "parseToml(string)", "parseToml(string,string)",
    "serializeUint(string,string,uint256)", "serializeAddress(string,string,address)",
    "serializeString(string,string,string)",
};

pub(super) const REVERTERS: &[Row] = refused! {
    "who reverted is not kept; leave the address or the count out":
    "expectRevert(address)", "expectRevert(bytes,address)", "expectRevert(bytes4,address)",
    "expectRevert(uint64)", "expectRevert(bytes,uint64)", "expectRevert(bytes4,uint64)",
    "expectEmit(uint64)", "expectEmit(address,uint64)", "expectEmitAnonymous()",
};

pub(super) const SCRIPTS: &[Row] = refused! {
    "it belongs to deployment scripts":
    "broadcast()", "broadcast(address)", "broadcast(uint256)", "startBroadcast()",
    "startBroadcast(address)", "startBroadcast(uint256)", "stopBroadcast()",
};

pub(super) const RECORDS: &[Row] = refused! {
    "reads and writes of storage are not recorded; write the slot with store()":
    "record()", "accesses(address)", "startStateDiffRecording()", "stopAndReturnStateDiff()",
    "startMappingRecording()", "stopMappingRecording()", "getMappingLength(address,bytes32)",
    "dumpState(string)", "loadAllocs(string)", "copyStorage(address,address)",
    "assumeNoRevert()", "expectCallMinGas(address,uint256,uint64,bytes)",
    "mockFunction(address,address,bytes)", "lastCallGas()",
};
