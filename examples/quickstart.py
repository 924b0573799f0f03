"""Read three instruments of a cockpit in trouble, submit it as it stands, and see the grade."""

from __future__ import annotations

import gymnasium as gym

import acoe_gym  # noqa: F401 (registers the ids)

env = gym.make("ACOE-C172S-EngineRestart-v0")
briefing, info = env.reset(seed=0)
print(briefing)
for component in ("rpm", "fuel_selector", "fuel_qty_l"):
    print(env.step({"name": "get_system", "arguments": {"component": component}})[0])
_, reward, _, _, info = env.step({"name": "submit", "arguments": {}})
print(f"reward {reward}, success {info['success']}, goals {info['goal_attainment']}, safe {info['safe']}")
