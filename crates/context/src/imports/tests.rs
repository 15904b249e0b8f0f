//! Imports of small projects, one language each.

use expect_test::{Expect, expect};
use proofstone_jail::{Policy, Root};

use super::*;
use crate::language::Language;

/// A project written as `path: text` entries; the first is the file whose imports are resolved.
fn check(files: &[(&str, &str)], expected: &Expect) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let root = Root::open(folder.path(), Policy::project()).unwrap();
    let (path, text) = files[0];
    let language = Language::of(path).unwrap();
    let (imports, fault) = written(language, text);
    let mut lines: Vec<String> = imports
        .iter()
        .map(|import| {
            format!(
                "{}:{} {} -> {:?}",
                import.line,
                import.kind,
                import.target,
                resolve(&root, language, path, text, import)
            )
        })
        .collect();
    lines.extend(fault.map(|fault| format!("{fault:?}")));
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn typescript() {
    let config = r#"{ // aliases
        "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["src/*"], "exact": ["src/b.ts"], }, } }"#;
    check(
        &[
            (
                "src/a.ts",
                "import x from './b';\nimport './b.js';\nexport * from '../lib';\nconst y = require('fs');\nconst z = await import('@app/deep/c');\nimport e from 'exact';\nimport r from '@scope/pkg/sub';\nimport m from './missing';\nimport s from './.env';\n",
            ),
            ("src/b.ts", ""),
            ("lib/index.tsx", ""),
            ("src/deep/c.ts", ""),
            ("tsconfig.json", config),
            ("src/.env", "SECRET"),
        ],
        &expect![[r#"
            1:import ./b -> Files(["src/b.ts"])
            2:import ./b.js -> Files(["src/b.ts"])
            3:export ../lib -> Files(["lib/index.tsx"])
            4:require fs -> External("fs")
            5:dynamic @app/deep/c -> Files(["src/deep/c.ts"])
            6:import exact -> Files(["src/b.ts"])
            7:import @scope/pkg/sub -> External("@scope/pkg")
            8:import ./missing -> Missing
            9:import ./.env -> Missing"#]],
    );
}

#[test]
fn python() {
    check(
        &[
            (
                "src/pkg/sub/a.py",
                "import os, pkg.top\nfrom . import sibling\nfrom .other import name\nfrom ..top import thing as t\nfrom pkg import helper\n",
            ),
            ("src/pkg/sub/sibling.py", ""),
            ("src/pkg/sub/other.py", ""),
            ("src/pkg/top.py", ""),
            ("src/pkg/__init__.py", ""),
            ("src/pkg/sub/__init__.py", ""),
            ("src/pkg/helper.py", ""),
        ],
        &expect![[r#"
            1:import os -> External("os")
            1:import pkg.top -> Files(["src/pkg/top.py"])
            2:import . -> Files(["src/pkg/sub/__init__.py"])
            2:member .sibling -> Files(["src/pkg/sub/sibling.py"])
            3:import .other -> Files(["src/pkg/sub/other.py"])
            3:member .other.name -> Files([])
            4:import ..top -> Files(["src/pkg/top.py"])
            4:member ..top.thing -> Files([])
            5:import pkg -> Files(["src/pkg/__init__.py"])
            5:member pkg.helper -> Files(["src/pkg/helper.py"])"#]],
    );
}

#[test]
fn rust() {
    check(
        &[
            (
                "crates/a/src/net.rs",
                "mod tcp;\nuse crate::wire::{Frame, codec::Codec};\nuse super::util;\nuse self::tcp::Stream;\nuse std::io;\nuse other_b::thing::Thing;\n",
            ),
            ("crates/a/src/lib.rs", ""),
            ("crates/a/src/net/tcp.rs", ""),
            ("crates/a/src/wire/mod.rs", ""),
            ("crates/a/src/wire/codec.rs", ""),
            ("crates/a/src/util.rs", ""),
            ("crates/b/Cargo.toml", "[package]\nname = \"other-b\"\n"),
            ("crates/b/src/lib.rs", ""),
            ("crates/b/src/thing.rs", ""),
        ],
        &expect![[r#"
            1:module tcp -> Files(["crates/a/src/net/tcp.rs"])
            2:import crate::wire::Frame -> Files(["crates/a/src/wire/mod.rs"])
            2:import crate::wire::codec::Codec -> Files(["crates/a/src/wire/codec.rs"])
            3:import super::util -> Files(["crates/a/src/util.rs"])
            4:import self::tcp::Stream -> Files(["crates/a/src/net/tcp.rs"])
            5:import std::io -> External("std")
            6:import other_b::thing::Thing -> Files(["crates/b/src/thing.rs"])"#]],
    );
}

#[test]
fn go_java_c_solidity() {
    check(
        &[
            (
                "cmd/main.go",
                "package main\nimport (\n\t\"fmt\"\n\tx \"example.com/m/internal/x\"\n)\n",
            ),
            ("go.mod", "module example.com/m\n\ngo 1.22\n"),
            ("internal/x/a.go", ""),
            ("internal/x/a_test.go", ""),
        ],
        &expect![[r#"
            3:import fmt -> External("fmt")
            4:import example.com/m/internal/x -> Files(["internal/x/a.go"])"#]],
    );
    check(
        &[
            (
                "src/main/java/com/x/A.java",
                "package com.x;\nimport com.x.util.B;\nimport static com.x.util.B.run;\nimport com.x.util.*;\nimport java.util.List;\n",
            ),
            ("src/main/java/com/x/util/B.java", ""),
        ],
        &expect![[r#"
            2:import com.x.util.B -> Files(["src/main/java/com/x/util/B.java"])
            3:import com.x.util.B.run -> Files(["src/main/java/com/x/util/B.java"])
            4:import com.x.util.* -> Files(["src/main/java/com/x/util/B.java"])
            5:import java.util.List -> External("java.util.List")"#]],
    );
    check(
        &[
            (
                "src/a.c",
                "#include \"a.h\"\n#include \"lib/b.h\"\n#include <stdio.h>\n#include <proj/c.h>\n#ifdef X\n#include \"gone.h\"\n#endif\n",
            ),
            ("src/a.h", ""),
            ("include/lib/b.h", ""),
            ("include/proj/c.h", ""),
        ],
        &expect![[r#"
            1:include a.h -> Files(["src/a.h"])
            2:include lib/b.h -> Files(["include/lib/b.h"])
            3:include stdio.h -> External("stdio.h")
            4:include proj/c.h -> Files(["include/proj/c.h"])
            6:include gone.h -> Missing"#]],
    );
    check(
        &[
            (
                "src/A.sol",
                "import \"./B.sol\";\nimport {C} from \"@oz/C.sol\";\nimport * as D from \"forge-std/D.sol\";\n",
            ),
            ("src/B.sol", ""),
            ("lib/oz/C.sol", ""),
            ("remappings.txt", "@oz/=lib/oz/\n"),
        ],
        &expect![[r#"
            1:import ./B.sol -> Files(["src/B.sol"])
            2:import @oz/C.sol -> Files(["lib/oz/C.sol"])
            3:import forge-std/D.sol -> External("forge-std")"#]],
    );
}

#[test]
fn faults_say_where() {
    check(
        &[("a.ts", "import { a from './b';\n")],
        &expect!["SyntaxFault { line: 1, touches_imports: true }"],
    );
    check(
        &[("a.ts", "import './b';\nfunction f() { return (1 + ; }\n"), ("b.ts", "")],
        &expect![[r#"
        1:import ./b -> Files(["b.ts"])
        SyntaxFault { line: 2, touches_imports: false }"#]],
    );
}
