package org.posthouse.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.posthouse.causes.Causes;
import org.posthouse.cli.config.ConfigOption;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.AgentFolderOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.option.LogFormatOption;
import org.posthouse.cli.option.NodeRelayOptions;
import org.posthouse.cli.option.OptionsInUse;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.NodeKeys;
import org.posthouse.keys.RelayId;
import org.posthouse.launch.agent.Agent;
import org.posthouse.launch.agent.AgentSettings;
import org.posthouse.launch.agent.NodeRelay;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.provision.SlurmTasks;
import org.posthouse.launch.provision.StandingAgents;
import org.posthouse.launch.reserve.SlotLimits;
import org.posthouse.relay.ProductVersion;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.Token;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse agent}: offers this host's processors to jobs. */
@Command(
        name = "agent",
        description = "Offers this host to the jobs of a site: dials the site's relay, opens no port, and runs ranks for launchers.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  posthouse agent --relay login:7411 --token-file token",
            "  posthouse agent --relay login:7411 --slots 8 --jobs 2 --label gpu=yes",
            "  posthouse agent --with-relay --peer site-a=login:7412 \\",
            "      --relay-keys keys-a --token-file token"
        })
final class AgentCommand implements Callable<Integer> {
    private static final int TOKEN_DIGITS = 32;
    private static final long DETACH_SECONDS = 60;
    private static final long DETACH_LOOK_MS = 100;

    @Spec
    private CommandSpec command;

    @Mixin
    private ConfigOption config;

    @Option(names = "--check-config", description = "Say whether an agent can be started with these options, or what is wrong with them, and end.")
    private boolean checkOnly;

    @Option(names = "--print-config", description = "Print what each option is, and where it is said, and end; with --json as JSON.")
    private boolean printOnly;

    @Option(names = "--json", description = "Print the options as JSON.")
    private boolean json;

    @Option(names = "--relay", paramLabel = "HOST:PORT", converter = HostPort.Converter.class,
            description = "The --listen of the site's relay; needed without --with-relay.")
    private HostPort relay;

    @Mixin
    private NodeRelayOptions nodeRelay;

    @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of the relay.")
    private Path tokenFile;

    @Option(
            names = "--token-stdin",
            description = "Read the launch token from the first line of standard input, and end when standard input ends: for who starts agents on other hosts.")
    private boolean tokenStdin;

    @Option(
            names = "--detach",
            description = "Start the agent as a process of its own, print its number when it has reached the relay, and end.")
    private boolean detach;

    /** Of the process that --detach starts: the end of its input means nothing. */
    @Option(names = "--detached", hidden = true)
    private boolean isDetached;

    @Option(
            names = "--keys",
            paramLabel = "DIR",
            description = "The node's keys, as \"posthouse keys issue --node\" wrote them, in place of a token. The node's name is that of its certificate.")
    private Path keys;

    @Option(names = "--name", paramLabel = "NAME", description = "The node's name (default: the host's name).")
    private String name = Agent.hostName();

    @Option(
            names = "--host-id",
            paramLabel = "ID",
            description = "What tells this host from others (default: from /etc/machine-id). Agents with the same one share a host.")
    private String host = Agent.hostId();

    @Option(names = "--slots", paramLabel = "P", description = "Ranks at a time, 1 to " + AgentOffer.SLOTS_MAX + " (default: this host's processors).")
    private int slots = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--slurm-slots",
            paramLabel = "LIST",
            description = "For a task of a Slurm job step: the slots of each node of the step, such as 8(x3),4. This node's place in it and its name are"
                    + " those that Slurm says.")
    private String slurmSlots;

    @Option(names = "--jobs", paramLabel = "J", description = "Jobs at a time (default: 1).")
    private int jobs = 1;

    @Option(names = "--label", paramLabel = "NAME=VALUE", description = "What jobs can ask for with --where; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--allow", paramLabel = "USER", split = ",", description = "Users whose jobs are taken (default: all that the relay lets in).")
    private List<String> users = List.of();

    @Mixin
    private AgentFolderOptions folders;

    @Mixin
    private LogFormatOption logFormat;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        logFormat.apply();
        if (slurmSlots != null) {
            ofSlurm(System.getenv());
        }
        if (slots < 1 || slots > AgentOffer.SLOTS_MAX || jobs < 1) {
            throw new ParameterException(
                    command.commandLine(), "--slots " + slots + " and --jobs " + jobs + ", expected 1 to " + AgentOffer.SLOTS_MAX + " slots and 1 job or more");
        }
        SlotLimits limits = new SlotLimits(jobs, slots, slots);
        if (labels.size() > AgentOffer.LABELS_MAX) {
            throw new ParameterException(command.commandLine(), labels.size() + " labels, expected at most " + AgentOffer.LABELS_MAX);
        }
        if (keys != null && (tokenStdin || tokenFile != null)) {
            throw new ParameterException(command.commandLine(), "--keys and a token: give one of them");
        }
        if (tokenStdin && tokenFile != null) {
            throw new ParameterException(command.commandLine(), "--token-stdin and --token-file: give one of them");
        }
        if (keys != null && (detach || isDetached)) {
            throw new ParameterException(command.commandLine(), "--keys and --detach: an agent that is detached needs a token");
        }
        if (keys != null) {
            name = nameOfKeys();
        }
        nodeRelay.check(command, relay != null);
        if (nodeRelay.isGiven() && (keys != null || tokenStdin || detach)) {
            throw new ParameterException(command.commandLine(), "--with-relay needs the token in a file: give --token-file, and none of --keys,"
                    + " --token-stdin and --detach");
        }
        if (printOnly || checkOnly) {
            if (!tokenStdin) {
                TokenFile.read(tokenFile);
            }
            System.out.println(printOnly
                    ? OptionsInUse.of(command, config.configuration(), "--config", "--check-config", "--print-config", "--json").text(json)
                    : "agent " + name + " can be started with these options");
            return 0;
        }
        Token token = tokenStdin || isDetached ? tokenOfInput() : TokenFile.read(tokenFile);
        Path own = folders.folder(name);
        if (detach) {
            return detached(token, own);
        }
        if (nodeRelay.isGiven()) {
            return runWithRelay(token, limits, own);
        }
        return run(settings(relay.toString(), token, limits, own));
    }

    private AgentSettings settings(String address, Token token, SlotLimits limits, Path own) {
        return new AgentSettings(
                address, token, Optional.ofNullable(keys), name, host, limits, labels, Set.copyOf(users), own, folders.stageBytes());
    }

    private int runWithRelay(Token token, SlotLimits limits, Path own) throws CommandFailure, InterruptedException {
        RelayId id = nodeRelay.id(name);
        try (NodeRelay started = NodeRelay.start(id.toString(), nodeRelay.options(id, tokenFile), own, AgentCommand::print)) {
            print("relay " + id + " of this node serves at " + started.address());
            return run(settings(started.address(), token, limits, own));
        } catch (IOException | JobFailure e) {
            throw new CommandFailure("the node's relay cannot be started: " + e.getMessage(), e);
        }
    }

    private static void print(String line) {
        System.err.println("posthouse: " + line);
    }

    private int run(AgentSettings settings) throws CommandFailure, InterruptedException {
        try (Agent agent = new Agent(settings, ProductVersion.text(), AgentCommand::print);
                Interruption interruption = Interruption.open()) {
            interruption.guard(agent::close);
            if (tokenStdin) {
                Thread.ofPlatform().daemon().name("posthouse-agent-input").start(() -> endWithInput(agent));
            }
            return agent.run();
        } catch (IOException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** Starts this command again in a process that nobody waits for. */
    private int detached(Token token, Path own) throws CommandFailure, InterruptedException {
        Path log = own.resolve("agent.log");
        try {
            Files.createDirectories(own);
            Process agent = StandingAgents.detach(wordsOfDetached(own), token, log);
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DETACH_SECONDS);
            while (!Files.readString(log).contains(Agent.CONNECTED)) {
                if (agent.waitFor(DETACH_LOOK_MS, TimeUnit.MILLISECONDS)) {
                    String printed = Files.readString(log).strip();
                    throw new CommandFailure("the agent has ended with status " + agent.exitValue() + ": " + printed.substring(printed.lastIndexOf('\n') + 1));
                }
                if (System.nanoTime() > endNs) {
                    agent.destroy();
                    throw new CommandFailure("the agent has not reached its relay " + relay + " within " + DETACH_SECONDS + " s; " + log + " says more");
                }
            }
            System.out.println("agent " + name + " runs as process " + agent.pid() + "; what it prints is in " + log);
            return 0;
        } catch (IOException | JobFailure e) {
            throw new CommandFailure("the agent cannot be started: " + e.getMessage(), e);
        }
    }

    private List<String> wordsOfDetached(Path own) throws JobFailure {
        List<String> words = new ArrayList<>(List.of(Installation.program().toString(), "agent", "--detached"));
        words.addAll(
                List.of("--relay", relay.toString(), "--name", name, "--host-id", host, "--slots", Integer.toString(slots), "--jobs", Integer.toString(jobs)));
        labels.forEach((label, value) -> words.addAll(List.of("--label", label + "=" + value)));
        users.forEach(user -> words.addAll(List.of("--allow", user)));
        words.addAll(List.of("--dir", own.toString(), "--stage-cache", Long.toString(folders.stageBytes())));
        return words;
    }

    /** Takes the node's name and slots from Slurm's variables, except for what options say. */
    private void ofSlurm(Map<String, String> own) {
        String node = own.getOrDefault("SLURM_NODEID", "");
        try {
            List<Integer> all = SlurmTasks.parse(slurmSlots);
            if (!node.matches("[0-9]{1,6}") || Integer.parseInt(node) >= all.size()) {
                throw new ParameterException(
                        command.commandLine(), "--slurm-slots " + slurmSlots + ": SLURM_NODEID is \"" + node + "\", expected 0 to " + (all.size() - 1));
            }
            if (command.commandLine().getParseResult().matchedOption("--slots") == null) {
                slots = all.get(Integer.parseInt(node));
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--slurm-slots: " + e.getMessage(), e);
        }
        if (command.commandLine().getParseResult().matchedOption("--name") == null) {
            name = own.getOrDefault("SLURMD_NODENAME", name);
        }
    }

    private String nameOfKeys() throws CommandFailure {
        try {
            return NodeKeys.load(keys).name();
        } catch (KeysException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** Reads byte by byte: what stands behind the line is not this command's. */
    private static Token tokenOfInput() throws CommandFailure {
        try {
            StringBuilder line = new StringBuilder();
            for (int next = System.in.read(); next >= 0 && next != '\n' && line.length() <= 2 * TOKEN_DIGITS; next = System.in.read()) {
                line.append((char) next);
            }
            return Token.parse(line.toString().strip());
        } catch (IOException | IllegalArgumentException e) { // Whose message may have a character of the secret.
            throw new CommandFailure("--token-stdin: the first line of standard input is no token of " + TOKEN_DIGITS + " hexadecimal digits");
        }
    }

    private static void endWithInput(Agent agent) {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.err.println("posthouse: standard input broke: " + Causes.text(e));
        }
        agent.close();
    }
}
