"""refused.py FILES GABLE WORKERS: files.py, the test of data/measured, takes a good file and refuses the others by name."""
import json
import os
import subprocess
import sys
import tempfile


def expect(met, what):
    if not met:
        sys.exit(f"not so: {what}")


def main():
    files, gable, workers = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        told, measured = os.path.join(folder, "told.json"), os.path.join(folder, "measured")
        os.mkdir(measured)
        good = os.path.join(measured, "good.json")
        environment = dict(os.environ, GABLE_WORKER_PATH=workers)
        subprocess.run([gable, "calibrate", "--output", told], env=environment, check=True, capture_output=True)
        subprocess.run([gable, "report", told, "--anonymous", "--output", good], check=True, capture_output=True)
        with open(good, encoding="utf-8") as file:
            document = json.load(file)

        def verdict():
            return subprocess.run([sys.executable, "-B", files, gable, measured], capture_output=True, text=True, check=False)

        taken = verdict()
        expect(taken.returncode == 0, f"a valid and anonymous file is taken: {taken.stdout}")
        hosts, broken = dict(document, run=dict(document["run"], hostname="bert17")), dict(document, devices=[])
        for name, text in (("hosts.json", json.dumps(hosts)), ("broken.json", json.dumps(broken)), ("cut.json", "{"), ("notes.txt", "x")):
            path = os.path.join(measured, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            refused = verdict()
            expect(refused.returncode == 1 and refused.stdout.startswith(name + ": "), f"{name} is refused: {refused.stdout}")
            os.remove(path)


if __name__ == "__main__":
    main()
