//! Cuts a program of the page in two: what its first picture and the usual steps need, and the rest, which is fetched
//! later or, at the latest, by the first call of a function in it.
//!
//! Any function may be in either part, and nothing in the program knows of it. In the first part a function of the
//! rest is a stub that sees to it that the rest is there (`rest.js`) and calls the function through a slot at the end
//! of the function table. The rest has no state of its own: memory, globals, tables and the functions it calls are
//! imported from the first part; when it is instantiated it puts its functions into their slots. Data stays in the
//! first part: a linker's data segment does not say who reads which byte.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail, ensure};
use walrus::ir::{UnaryOp, Value};
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId,
    FunctionKind, GlobalId, GlobalKind, ImportKind, ImportedFunction, LocalId, MemoryId, Module,
    ModuleConfig, TableId, ValType, passes,
};

/// The module of imports under which the first part finds `load`.
pub(super) const LOADER: &str = "rest";
/// Not 0 as soon as the slots are filled; `rest.js` sets it.
const HERE: &str = "rest_here";
/// The module of imports under which the rest finds the first part's exports.
const FIRST: &str = "first";

/// A program in two modules.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) first: Vec<u8>,
    pub(super) rest: Vec<u8>,
    /// The short name of each import of the first part.
    pub(super) imports: HashMap<String, String>,
}

/// A function's number in the module before the cut: the same in each copy that is parsed.
type Number = usize;

/// Cuts a module whose functions have names; those that `is_later` names go into the rest.
pub(super) fn split(bytes: &[u8], is_later: impl Fn(&str) -> bool) -> Result<Parts> {
    let mut first = parse(bytes)?;
    let later: HashSet<Number> = first
        .funcs
        .iter()
        .filter(|function| matches!(function.kind, FunctionKind::Local(_)))
        .filter(|function| function.name.as_deref().is_some_and(&is_later))
        .map(|function| function.id().index())
        .collect();
    let slots = slots(bytes, &later)?;
    let rest = rest(bytes, &later, &slots)?;
    // Functions without a slot are called by nobody here, and are thrown away.
    let any_slot = later.iter().map(|&number| (number, 0));
    put_stubs(&mut first, &any_slot.chain(slots.iter().copied()).collect())?;
    widen(&mut first, slots.len())?;
    for (name, item) in rest.needed {
        let item = same(&first, item).context("both parts come from the same module")?;
        first.exports.add(&name, item);
    }
    passes::gc::run(&mut first);
    Ok(Parts {
        imports: shorten_imports(&mut first),
        first: first.emit_wasm(),
        rest: rest.bytes,
    })
}

/// wasm-bindgen tells its imports apart by random digits, which no compression makes shorter, here and in the glue.
fn shorten_imports(module: &mut Module) -> HashMap<String, String> {
    let all = module.imports.iter_mut();
    let imports = all.filter(|import| import.module != LOADER).enumerate();
    let renamed = imports.map(|(number, import)| {
        let short = format!("i{number:x}");
        (std::mem::replace(&mut import.name, short.clone()), short)
    });
    renamed.collect()
}

/// Lets each function note that it was called, in a global that is exported as `called NAME`.
pub(super) fn counting(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut module = parse(bytes)?;
    let named: Vec<(FunctionId, String)> = module
        .funcs
        .iter()
        .filter(|function| matches!(function.kind, FunctionKind::Local(_)))
        .filter_map(|function| Some((function.id(), function.name.clone()?)))
        .collect();
    let mut known = HashMap::new();
    for (id, name) in named {
        let called = *known.entry(name).or_insert_with_key(|name| {
            let zero = ConstExpr::Value(Value::I32(0));
            let global = module.globals.add_local(ValType::I32, true, false, zero);
            module.exports.add(&format!("called {name}"), global);
            global
        });
        let FunctionKind::Local(function) = &mut module.funcs.get_mut(id).kind else {
            bail!("only functions with a body were listed");
        };
        let mut body = function.builder_mut().func_body();
        body.global_set_at(0, called).const_at(0, Value::I32(1));
    }
    Ok(module.emit_wasm())
}

fn parse(bytes: &[u8]) -> Result<Module> {
    let mut config = ModuleConfig::new();
    config
        .generate_name_section(false)
        .generate_producers_section(false);
    config.parse(bytes)
}

fn function_table(module: &Module) -> Result<TableId> {
    let table = module.tables.main_function_table()?;
    table.context("the program has no function table")
}

/// The functions of the rest that the first part calls or has in its table, and the slot of each.
fn slots(bytes: &[u8], later: &HashSet<Number>) -> Result<Vec<(Number, u32)>> {
    let mut first = parse(bytes)?;
    let begin = u32::try_from(first.tables.get(function_table(&first)?).initial)?;
    // All of the first part is kept, whoever calls it: it may be the rest that does.
    let kept: Vec<FunctionId> = first
        .funcs
        .iter_local()
        .map(|(id, _)| id)
        .filter(|id| !later.contains(&id.index()))
        .collect();
    for id in kept {
        first.exports.add(&format!("kept {}", id.index()), id);
    }
    put_stubs(
        &mut first,
        &later.iter().map(|&number| (number, 0)).collect(),
    )?;
    passes::gc::run(&mut first);
    let mut called: Vec<Number> = first
        .funcs
        .iter_local()
        .map(|(id, _)| id.index())
        .filter(|number| later.contains(number))
        .collect();
    called.sort_unstable();
    Ok(called.into_iter().zip(begin..).collect())
}

/// Makes stubs of functions: `load` unless the rest is there, then call through the slot.
fn put_stubs(module: &mut Module, slots: &HashMap<Number, u32>) -> Result<()> {
    let table = function_table(module)?;
    let nothing = module.types.add(&[], &[]);
    let (load, _) = module.add_import_func(LOADER, "load", nothing);
    let zero = ConstExpr::Value(Value::I32(0));
    let here = module.globals.add_local(ValType::I32, true, false, zero);
    module.exports.add(HERE, here);
    let functions: Vec<FunctionId> = module.funcs.iter().map(|function| function.id()).collect();
    for id in functions {
        let Some(&slot) = slots.get(&id.index()) else {
            continue;
        };
        let ty = module.funcs.get(id).ty();
        let (params, results) = module.types.params_results(ty);
        let (params, results) = (params.to_vec(), results.to_vec());
        let args: Vec<LocalId> = params.iter().map(|&ty| module.locals.add(ty)).collect();
        let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
        let mut body = builder.func_body();
        body.global_get(here).unop(UnaryOp::I32Eqz).if_else(
            None,
            |absent| {
                absent.call(load);
            },
            |_| {},
        );
        for &arg in &args {
            body.local_get(arg);
        }
        body.i32_const(slot.cast_signed()).call_indirect(ty, table);
        module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(args));
    }
    Ok(())
}

/// Gives the function table that many more slots.
fn widen(module: &mut Module, slots: usize) -> Result<()> {
    let table = function_table(module)?;
    let table = module.tables.get_mut(table);
    table.initial += u64::try_from(slots)?;
    table.maximum = table.maximum.map(|maximum| maximum.max(table.initial));
    Ok(())
}

/// The rest, and what it imports from the first part.
struct Rest {
    bytes: Vec<u8>,
    /// Under which name; the items are those of the rest.
    needed: Vec<(String, ExportItem)>,
}

fn rest(bytes: &[u8], later: &HashSet<Number>, slots: &[(Number, u32)]) -> Result<Rest> {
    let mut module = parse(bytes)?;
    without_roots(&mut module)?;
    import_all_but(&mut module, later)?;
    widen(&mut module, slots.len())?;

    let table = function_table(&module)?;
    let by_number: HashMap<Number, FunctionId> = module
        .funcs
        .iter()
        .map(|function| (function.id().index(), function.id()))
        .collect();
    let begin = slots.first().map_or(0, |&(_, slot)| slot);
    let kind = ElementKind::Active {
        table,
        offset: ConstExpr::Value(Value::I32(begin.cast_signed())),
    };
    let functions = slots.iter().map(|(number, _)| by_number[number]).collect();
    let element = module
        .elements
        .add(kind, ElementItems::Functions(functions));
    module.tables.get_mut(table).elem_segments.insert(element);
    passes::gc::run(&mut module);

    let mut needed = Vec::new();
    for (number, import) in module.imports.iter_mut().enumerate() {
        // Short: there are hundreds of them.
        import.name = format!("r{number:x}");
        let item = match import.kind {
            ImportKind::Function(id) => ExportItem::Function(id),
            ImportKind::Memory(id) => ExportItem::Memory(id),
            ImportKind::Global(id) => ExportItem::Global(id),
            ImportKind::Table(id) => ExportItem::Table(id),
            ImportKind::Tag(_) => bail!("a program has exceptions of wasm, which cannot be cut"),
        };
        needed.push((import.name.clone(), item));
    }
    let bytes = module.emit_wasm();
    Ok(Rest { bytes, needed })
}

/// Takes away what the first part does: exports, the start, data and table contents.
fn without_roots(module: &mut Module) -> Result<()> {
    module.start = None;
    let exports: Vec<_> = module.exports.iter().map(|export| export.id()).collect();
    exports.into_iter().for_each(|id| module.exports.delete(id));
    let mut segments = Vec::new();
    for data in module.data.iter() {
        let is_active = matches!(data.kind, DataKind::Active { .. });
        ensure!(is_active, "a program has passive data, which cannot be cut");
        segments.push(data.id());
    }
    segments.into_iter().for_each(|id| module.data.delete(id));
    let elements: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
    elements
        .into_iter()
        .for_each(|id| module.elements.delete(id));
    Ok(())
}

/// Makes an import of everything but the functions of the rest; what is not used goes with the next clearing up.
fn import_all_but(module: &mut Module, later: &HashSet<Number>) -> Result<()> {
    for import in module.imports.iter_mut() {
        let is_function = matches!(import.kind, ImportKind::Function(_));
        ensure!(is_function, "a program imports more than functions");
        FIRST.clone_into(&mut import.module);
    }
    let functions: Vec<FunctionId> = module.funcs.iter_local().map(|(id, _)| id).collect();
    for id in functions
        .into_iter()
        .filter(|id| !later.contains(&id.index()))
    {
        let ty = module.funcs.get(id).ty();
        let import = module.imports.add(FIRST, "", id);
        module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }
    let memories: Vec<MemoryId> = module.memories.iter().map(|memory| memory.id()).collect();
    for id in memories {
        let import = module.imports.add(FIRST, "", id);
        let memory = module.memories.get_mut(id);
        memory.import = Some(import);
        memory.data_segments.clear();
    }
    let tables: Vec<TableId> = module.tables.iter().map(|table| table.id()).collect();
    for id in tables {
        let import = module.imports.add(FIRST, "", id);
        let table = module.tables.get_mut(id);
        table.import = Some(import);
        table.elem_segments.clear();
    }
    let globals: Vec<GlobalId> = module.globals.iter().map(|global| global.id()).collect();
    for id in globals {
        let import = module.imports.add(FIRST, "", id);
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
    Ok(())
}

/// The item of `module` that has the same number.
fn same(module: &Module, item: ExportItem) -> Option<ExportItem> {
    let found = match item {
        ExportItem::Function(id) => {
            let mut all = module.funcs.iter().map(|function| function.id());
            ExportItem::Function(all.find(|other| other.index() == id.index())?)
        }
        ExportItem::Memory(id) => {
            let mut all = module.memories.iter().map(|memory| memory.id());
            ExportItem::Memory(all.find(|other| other.index() == id.index())?)
        }
        ExportItem::Global(id) => {
            let mut all = module.globals.iter().map(|global| global.id());
            ExportItem::Global(all.find(|other| other.index() == id.index())?)
        }
        ExportItem::Table(id) => {
            let mut all = module.tables.iter().map(|table| table.id());
            ExportItem::Table(all.find(|other| other.index() == id.index())?)
        }
        ExportItem::Tag(_) => return None,
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `run` calls `rare`, which calls `common`, which calls `rarer`; `rare` is in the function table as well.
    fn program() -> Vec<u8> {
        let mut module = Module::default();
        let table = module
            .tables
            .add_local(false, 1, Some(1), walrus::RefType::FUNCREF);
        let memory = module.memories.add_local(false, false, 1, None, None);
        module.exports.add("memory", memory);
        let mut make = |name: &str, callee: Option<FunctionId>| {
            let mut builder =
                FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
            builder.name(name.to_owned());
            let x = module.locals.add(ValType::I32);
            let mut body = builder.func_body();
            body.local_get(x);
            match callee {
                Some(callee) => body.call(callee),
                None => body.unop(UnaryOp::I32Clz),
            };
            builder.finish(vec![x], &mut module.funcs)
        };
        let rarer = make("rarer", None);
        let common = make("common", Some(rarer));
        let rare = make("rare", Some(common));
        let run = make("run", Some(rare));
        module.exports.add("run", run);
        let begin = ConstExpr::Value(Value::I32(0));
        let kind = ElementKind::Active {
            table,
            offset: begin,
        };
        let element = module
            .elements
            .add(kind, ElementItems::Functions(vec![rare]));
        module.tables.get_mut(table).elem_segments.insert(element);
        module.emit_wasm()
    }

    fn imports(module: &Module) -> Vec<String> {
        let mut all: Vec<String> = module
            .imports
            .iter()
            .map(|import| format!("{}.{}", import.module, import.name))
            .collect();
        all.sort();
        all
    }

    #[test]
    fn what_the_rest_imports_is_what_the_first_part_exports() {
        let parts = split(&program(), |name| name.starts_with("rare")).unwrap();
        let first = Module::from_buffer(&parts.first).unwrap();
        let rest = Module::from_buffer(&parts.rest).unwrap();
        assert_eq!(imports(&first), ["rest.load"]);
        // The function `common` and the table.
        assert_eq!(imports(&rest), ["first.r0", "first.r1"]);
        let exports: Vec<&str> = first.exports.iter().map(|e| e.name.as_str()).collect();
        for name in ["memory", "run", HERE, "r0", "r1"] {
            assert!(exports.contains(&name), "{name} of {exports:?}");
        }
        assert_eq!(rest.exports.iter().count(), 0);
        assert_eq!(rest.funcs.iter_local().count(), 2);
        // A slot for `rare` and one for `rarer`, which only the rest makes `common` call; the rest fills both.
        let table = first.tables.iter().next().unwrap();
        assert_eq!((table.initial, table.maximum), (3, Some(3)));
        let filled = rest.elements.iter().next().unwrap();
        assert!(matches!(
            filled.kind,
            ElementKind::Active {
                offset: ConstExpr::Value(Value::I32(1)),
                ..
            }
        ));
    }

    #[test]
    fn without_anything_rare_nothing_is_left_for_the_rest() {
        let parts = split(&program(), |_| false).unwrap();
        let rest = Module::from_buffer(&parts.rest).unwrap();
        assert_eq!(rest.funcs.iter_local().count(), 0);
    }

    #[test]
    fn each_function_notes_its_calls_under_its_name() {
        let module = Module::from_buffer(&counting(&program()).unwrap()).unwrap();
        let mut counts: Vec<&str> = module.exports.iter().map(|e| e.name.as_str()).collect();
        counts.retain(|name| name.starts_with("called "));
        counts.sort_unstable();
        assert_eq!(
            counts,
            ["called common", "called rare", "called rarer", "called run"]
        );
    }
}
