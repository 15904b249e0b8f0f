//! Values made at random from a schema, from a seed: ones that fit it, ones that don't, and simpler
//! ones of the same kind.

use serde_json::{Map, Value, json};

/// How deep a schema is followed.
const DEPTH: usize = 5;
/// The most values that are made from one seed: a schema that names itself in many places would have no end.
const MOST: usize = 2000;

/// Numbers that look random and are the same for the same seed (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Dice {
    state: u64,
    left: usize,
}

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed, left: MOST }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

/// A value that should fit a schema.
pub(super) fn fitting(schema: &Value, root: &Value, dice: &mut Dice, depth: usize) -> Value {
    if dice.left == 0 {
        return Value::Null;
    }
    dice.left -= 1;
    if depth > DEPTH {
        return crate::sample::fitting(schema);
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return dice.pick(values).cloned().unwrap_or_default();
    }
    let target = schema["$ref"].as_str().and_then(|r| root.pointer(r.strip_prefix('#')?));
    if let Some(target) = target {
        return fitting(target, root, dice, depth + 1);
    }
    for union in ["oneOf", "anyOf"] {
        if let Some(some) = schema[union].as_array()
            && let Some(one) = dice.pick(some)
        {
            return fitting(one, root, dice, depth + 1);
        }
    }
    match kind(schema, dice).as_str() {
        "object" => object(schema, root, dice, depth),
        "array" => array(schema, root, dice, depth),
        "integer" => json!(number(schema, dice).round() as i64),
        "number" => json!(number(schema, dice)),
        "boolean" => json!(dice.chance(2)),
        "null" => Value::Null,
        _ => text(schema, dice),
    }
}

fn kind(schema: &Value, dice: &mut Dice) -> String {
    match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            dice.pick(kinds).and_then(Value::as_str).unwrap_or("string").to_owned()
        }
        _ if schema.get("properties").is_some() => "object".to_owned(),
        _ => "string".to_owned(),
    }
}

fn object(schema: &Value, root: &Value, dice: &mut Dice, depth: usize) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&name.as_str()) || dice.chance(2) {
            fields.insert(name.clone(), fitting(property, root, dice, depth + 1));
        }
    }
    Value::Object(fields)
}

fn array(schema: &Value, root: &Value, dice: &mut Dice, depth: usize) -> Value {
    let least = schema["minItems"].as_u64().unwrap_or(0).min(20) as usize;
    let most = schema["maxItems"].as_u64().map_or(least + 3, |most| most.min(20) as usize);
    let count = least + dice.below(most.saturating_sub(least) + 1);
    let item = |dice: &mut Dice| fitting(&schema["items"], root, dice, depth + 1);
    Value::Array((0..count).map(|_| item(dice)).collect())
}

fn number(schema: &Value, dice: &mut Dice) -> f64 {
    let bound = |inclusive: &str, exclusive: &str, step: f64| {
        let exclusive = schema[exclusive].as_f64().map(|bound| bound + step);
        schema[inclusive].as_f64().or(exclusive)
    };
    let least = bound("minimum", "exclusiveMinimum", 1.0);
    let most = bound("maximum", "exclusiveMaximum", -1.0);
    let (low, high) = match (least, most) {
        (Some(low), Some(high)) => (low, high.max(low)),
        (Some(low), None) => (low, low + 1000.0),
        (None, Some(high)) => (high - 1000.0, high),
        (None, None) => (-1000.0, 1000.0),
    };
    match dice.below(4) {
        0 => low,
        1 => high,
        2 if low <= 0.0 && high >= 0.0 => 0.0,
        _ => (low + (high - low) * (dice.below(1001) as f64 / 1000.0)).round().clamp(low, high),
    }
}

/// Texts that programs trip over.
const TEXTS: [&str; 12] = [
    "a",
    "hello",
    "two words",
    "Füße 日本 👩‍🚀",
    "' OR 1=1 --",
    "../../etc/passwd",
    "<b>&amp;</b>",
    "line\nbreak",
    "%s%n{}",
    "null",
    "0",
    "\"quoted\\\"",
];

fn text(schema: &Value, dice: &mut Dice) -> Value {
    if schema.get("format").is_some() || schema.get("pattern").is_some() {
        return crate::sample::fitting(schema);
    }
    let least = schema["minLength"].as_u64().unwrap_or(0).min(2000) as usize;
    let most = schema["maxLength"].as_u64().unwrap_or(2000).min(2000) as usize;
    let mut text: Vec<char> = dice.pick(&TEXTS).copied().unwrap_or("a").chars().collect();
    if dice.chance(12) {
        text = vec!['x'; most];
    }
    text.resize(text.len().clamp(least, most.max(least)), 'x');
    Value::String(text.into_iter().collect())
}

/// Arguments one change away from fitting, where a change can be found that breaks them.
pub(super) fn broken(schema: &Value, fits: &Value, dice: &mut Dice) -> Value {
    let mut value = fits.clone();
    let Some(fields) = value.as_object_mut() else { return json!([]) };
    let properties: Vec<(&String, &Value)> =
        schema["properties"].as_object().into_iter().flatten().collect();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let property = dice.pick(&properties).map(|(name, schema)| ((*name).clone(), *schema));
    match (dice.below(4), property) {
        (0, _) if !required.is_empty() => {
            if let Some(name) = dice.pick(&required) {
                fields.shift_remove(*name);
            }
        }
        (1, Some((name, schema))) => drop(fields.insert(name, out_of_bounds(schema))),
        (2, _) if schema["additionalProperties"] == false => {
            fields.insert("noSuchParameter".into(), json!(1));
        }
        (_, Some((name, schema))) => drop(fields.insert(name, of_another_type(schema, dice))),
        (_, None) => {}
    }
    value
}

fn of_another_type(schema: &Value, dice: &mut Dice) -> Value {
    let all = [json!("text"), json!(4711), json!(true), json!([1]), json!({ "a": 1 }), Value::Null];
    let wrong: Vec<&Value> = all
        .iter()
        .filter(|value| !jsonschema::validator_for(schema).is_ok_and(|v| v.is_valid(value)))
        .collect();
    dice.pick(&wrong).map_or(Value::Null, |value| (*value).clone())
}

fn out_of_bounds(schema: &Value) -> Value {
    if schema.get("enum").is_some() {
        return json!("none of these");
    }
    if let Some(most) = schema["maximum"].as_f64() {
        return json!(most + 1.0);
    }
    if let Some(least) = schema["minimum"].as_f64() {
        return json!(least - 1.0);
    }
    match schema["maxLength"].as_u64() {
        Some(most) => json!("x".repeat(most.min(100_000) as usize + 1)),
        None => Value::Null,
    }
}

/// Values simpler than one: without a field, with shorter text, with smaller numbers.
pub(super) fn simpler(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(fields) => {
            let mut all = Vec::new();
            for (name, field) in fields {
                let mut without = fields.clone();
                without.shift_remove(name);
                all.push(Value::Object(without));
                for field in simpler(field) {
                    let mut with = fields.clone();
                    with.insert(name.clone(), field);
                    all.push(Value::Object(with));
                }
            }
            all
        }
        Value::Array(items) if !items.is_empty() => {
            vec![json!([]), Value::Array(items[..items.len() / 2].to_vec())]
        }
        Value::String(text) if !text.is_empty() && text != "a" => {
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            vec![json!(""), json!("a"), Value::String(half)]
        }
        Value::Number(number) if number.as_f64() != Some(0.0) => {
            let half = number.as_i64().map(|number| json!(number / 2));
            std::iter::once(json!(0)).chain(half).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_values_and_they_fit() {
        let schema = json!({
            "type": "object",
            "properties": {
                "text": { "type": "string", "minLength": 2, "maxLength": 40 },
                "count": { "type": "integer", "minimum": 1, "maximum": 9 },
                "ratio": { "type": ["number", "null"] },
                "mode": { "enum": ["a", "b"] },
                "list": { "type": "array", "items": { "$ref": "#/$defs/item" }, "maxItems": 4 },
            },
            "required": ["text", "count"],
            "additionalProperties": false,
            "$defs": { "item": { "type": "object", "properties": { "on": { "type": "boolean" } } } },
        });
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let mut wrong = 0;
        for seed in 0..300 {
            let value = fitting(&schema, &schema, &mut Dice::new(seed), 0);
            assert!(validator.is_valid(&value), "{value}");
            assert_eq!(value, fitting(&schema, &schema, &mut Dice::new(seed), 0));
            let broken = broken(&schema, &value, &mut Dice::new(seed));
            wrong += usize::from(!validator.is_valid(&broken));
        }
        assert!(wrong > 200, "only {wrong} of 300 broken values break the schema");
    }

    #[test]
    fn a_schema_that_names_itself_everywhere_comes_to_an_end() {
        let names: Vec<String> = (0..50).map(|at| format!("p{at}")).collect();
        let itself = json!({ "$ref": "#" });
        let properties: Map<String, Value> =
            names.iter().map(|name| (name.clone(), itself.clone())).collect();
        let schema = json!({ "type": "object", "properties": properties, "required": names });
        let mut dice = Dice::new(1);
        let value = fitting(&schema, &schema, &mut dice, 0);
        broken(&schema, &value, &mut dice);
        assert!(value.is_object() && crate::sample::fitting(&schema).is_object());
    }

    #[test]
    fn simpler_values_come_to_an_end() {
        let mut value = json!({ "a": "some long text", "b": [1, 2, 3], "c": -77 });
        for _ in 0..100 {
            match simpler(&value).into_iter().next() {
                Some(next) => value = next,
                None => return,
            }
        }
        panic!("{value} is still not simple");
    }
}
