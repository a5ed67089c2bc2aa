"""Checks a result against the schema with a validator that is not the program's own.

usage: schema_test.py SCHEMA RESULT
The result must fit; and each of a few damaged copies must not, or the schema says nothing.
"""
import copy
import json
import sys

import jsonschema


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        result = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(result)]
    damages = {
        "a key too many": lambda r: r.update(extra=1),
        "a row without unit": lambda r: r["ceilings"][0].pop("unit"),
        "an unknown dtype": lambda r: r["points"][0]["types"].update(a="fp12"),
        "text for a time": lambda r: r["points"][0].update(time_s="1"),
        "another major version": lambda r: r.update(schema_version="2.0"),
    }
    for name, damage in damages.items():
        bad = copy.deepcopy(result)
        damage(bad)
        if validator.is_valid(bad):
            failures.append(f"accepted with {name}")
    print("\n".join(failures) or "fits")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
