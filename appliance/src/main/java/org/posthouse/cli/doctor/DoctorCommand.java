package org.posthouse.cli.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.cli.console.ConsoleAddress;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.KeysFolder;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.RelayClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code posthouse doctor}: whether this host is fit for a relay, and reaches those that it needs. */
@Command(
        name = "doctor",
        description = "Checks this host for a relay: Java, limits, ports, the disk, certificates and the clock, and whether peers and relays are reached.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Status 0: nothing to do. 3: something is, as a line says.",
            "",
            "Examples:",
            "  posthouse doctor",
            "  posthouse doctor --data data-a --keys keys-a --peer HOST-B:7412",
            "  posthouse doctor --ops login:7413",
            "  posthouse doctor --relay login:7411 --token-file token --json"
        })
public final class DoctorCommand implements Callable<Integer> {
    @Option(names = "--data", paramLabel = "DIR", description = "The relay's data folder: its rights, space, file system, and how long a sync takes.")
    private Path data;

    @Option(names = "--keys", paramLabel = "DIR", description = "The site's keys: their validity, and this host's clock by it.")
    private Path keys;

    @Option(
            names = "--port",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "An address at which a relay is to listen here; may be repeated (default: 127.0.0.1:7411, 7412, 7413 and 7414).")
    private List<HostPort> ports = List.of();

    @Option(
            names = "--peer",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "The --links of another relay: whether it is reached, and with --keys whether it speaks TLS with a certificate of the same authority;"
                    + " may be repeated.")
    private List<HostPort> peers = List.of();

    @Option(
            names = "--relay",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "The --listen of a running relay: whether it greets launchers; may be repeated.")
    private List<HostPort> relays = List.of();

    @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of these relays.")
    private Path tokenFile;

    @Option(
            names = "--ops",
            paramLabel = "[https://]HOST:PORT",
            converter = ConsoleAddress.Converter.class,
            description = "The console of a running relay: whether it answers, whether it is ready, and how far its clock is from this host's; may be"
                    + " repeated.")
    private List<ConsoleAddress> consoles = List.of();

    @Option(names = "--json", description = "Print the findings as JSON.")
    private boolean json;

    @Override
    public Integer call() throws CommandFailure {
        List<Finding> findings = new ArrayList<>();
        findings.addAll(JavaCheck.check(
                Runtime.version().feature(), System.getProperty("java.runtime.version") + " in " + System.getProperty("java.home"),
                ManagementFactory.getRuntimeMXBean().getInputArguments(), Installation.jvmFlags()));
        findings.addAll(limits());
        (ports.isEmpty() ? PortCheck.DEFAULTS : ports).forEach(port -> findings.add(PortCheck.check(port)));
        if (data != null) {
            findings.addAll(DiskCheck.check(DiskProbe.measure(data)));
        }
        if (keys != null) {
            findings.addAll(keys());
        }
        peers.forEach(peer -> findings.add(PeerCheck.check(peer, keys)));
        for (HostPort relay : relays) {
            findings.add(relay(relay));
        }
        for (ConsoleAddress console : consoles) {
            findings.addAll(ConsoleCheck.check(console.toString(), ConsoleOptions.clientOf(console), Clock.systemUTC()));
        }
        DoctorReport report = new DoctorReport(findings);
        System.out.print(json ? report.json() + System.lineSeparator() : report.text());
        return report.isGood() ? 0 : ExitCode.ATTENTION.status();
    }

    private static List<Finding> limits() {
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix ? unix.getMaxFileDescriptorCount() : Long.MAX_VALUE;
        try {
            return LimitsCheck.check(files, Files.readAllLines(Path.of("/proc/self/limits")));
        } catch (IOException e) {
            return LimitsCheck.check(files, List.of()); // A system without /proc.
        }
    }

    private List<Finding> keys() {
        try {
            return KeysCheck.check(KeysFolder.read(keys), Instant.now());
        } catch (KeysException e) {
            return List.of(Finding.fail("keys", e.getMessage(), "posthouse keys issue writes a site's keys; posthouse keys show lists them"));
        }
    }

    private Finding relay(HostPort address) throws CommandFailure {
        try (RelayClient relay = RelayClient.connect(address.toString(), TokenFile.read(tokenFile))) {
            return Finding.ok("relay", address + " greets launchers: relay " + relay.home().relay() + " of site " + relay.home().site());
        } catch (JobFailure e) {
            return Finding.fail("relay", e.getMessage(), "start it, or name its --listen; posthouse doctor on its host says more");
        }
    }
}
