"""Every ruleset as an OpenSpiel game; importing this package registers them."""

if __name__ == "envs":
    raise ImportError("this folder is the package sgai.envs: import it by that name")
