package org.posthouse.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.posthouse.causes.Causes;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.option.StageCacheOption;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.launch.agent.Agent;
import org.posthouse.launch.agent.AgentSettings;
import org.posthouse.launch.reserve.SlotLimits;
import org.posthouse.launch.stage.JobFolders;
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
            "  posthouse agent --relay login:7411 --slots 8 --jobs 2 --label gpu=yes"
        })
final class AgentCommand implements Callable<Integer> {
    private static final int TOKEN_DIGITS = 32;

    /** Most agents of a user on a host that name no folder. */
    private static final int FOLDERS_MAX = 256;

    @Spec
    private CommandSpec command;

    @Option(names = "--relay", required = true, paramLabel = "HOST:PORT", converter = HostPort.Converter.class,
            description = "The --listen of the site's relay.")
    private HostPort relay;

    @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of the relay.")
    private Path tokenFile;

    @Option(
            names = "--token-stdin",
            description = "Read the launch token from the first line of standard input, and end when standard input ends: for who starts agents on other hosts.")
    private boolean tokenStdin;

    @Option(names = "--name", paramLabel = "NAME", description = "The node's name (default: the host's name).")
    private String name = Agent.hostName();

    @Option(
            names = "--host-id",
            paramLabel = "ID",
            description = "What tells this host from others (default: from /etc/machine-id). Agents with the same one share a host.")
    private String host = Agent.hostId();

    @Option(names = "--slots", paramLabel = "P", description = "Ranks at a time, 1 to " + AgentOffer.SLOTS_MAX + " (default: this host's processors).")
    private int slots = Runtime.getRuntime().availableProcessors();

    @Option(names = "--jobs", paramLabel = "J", description = "Jobs at a time (default: 1).")
    private int jobs = 1;

    @Option(names = "--label", paramLabel = "NAME=VALUE", description = "What jobs can ask for with --where; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--allow", paramLabel = "USER", split = ",", description = "Users whose jobs are taken (default: all that the relay lets in).")
    private List<String> users = List.of();

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where staged files and the folders of jobs are (default: the folder posthouse-agent-NAME in the system's folder for temporary files).")
    private Path folder;

    @Mixin
    private StageCacheOption stageCache;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        if (slots < 1 || slots > AgentOffer.SLOTS_MAX || jobs < 1) {
            throw new ParameterException(
                    command.commandLine(), "--slots " + slots + " and --jobs " + jobs + ", expected 1 to " + AgentOffer.SLOTS_MAX + " slots and 1 job or more");
        }
        SlotLimits limits = new SlotLimits(jobs, slots, slots);
        if (labels.size() > AgentOffer.LABELS_MAX) {
            throw new ParameterException(command.commandLine(), labels.size() + " labels, expected at most " + AgentOffer.LABELS_MAX);
        }
        if (tokenStdin && tokenFile != null) {
            throw new ParameterException(command.commandLine(), "--token-stdin and --token-file: give one of them");
        }
        Token token = tokenStdin ? tokenOfInput() : TokenFile.read(tokenFile);
        Path own = folder == null ? freeFolder() : folder;
        AgentSettings settings = new AgentSettings(relay.toString(), token, name, host, limits, labels, Set.copyOf(users), own.toAbsolutePath(),
                stageCache.bytes());
        try (Agent agent = new Agent(settings, ProductVersion.text(), line -> System.err.println("posthouse: " + line));
                Interruption interruption = Interruption.open()) {
            interruption.guard(agent::close);
            if (tokenStdin) {
                Thread.ofPlatform().daemon().name("posthouse-agent-input").start(() -> endWithInput(agent));
            }
            agent.run();
            return 0;
        } catch (IOException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** The first that no other agent uses: several jobs may bring an agent to this host. */
    private Path freeFolder() throws CommandFailure {
        Path first = Path.of(System.getProperty("java.io.tmpdir"), "posthouse-agent-" + System.getProperty("user.name") + "-" + name);
        try {
            Path free = first;
            for (int number = 2; number <= FOLDERS_MAX && JobFolders.isInUse(free.resolve("jobs")); number++) {
                free = first.resolveSibling(first.getFileName() + "-" + number);
            }
            return free;
        } catch (IOException e) {
            throw new CommandFailure(e.getMessage() + "; name another one with --dir", e);
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
