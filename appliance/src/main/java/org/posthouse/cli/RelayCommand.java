package org.posthouse.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.posthouse.audit.Lifecycle;
import org.posthouse.cli.config.ConfigOption;
import org.posthouse.cli.file.AuditFile;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.BusyPollTime;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.DataFolder;
import org.posthouse.cli.option.EachOnce;
import org.posthouse.cli.option.ForwardOptions;
import org.posthouse.cli.option.GroupOptions;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.option.JudgesOptions;
import org.posthouse.cli.option.LogFormatOption;
import org.posthouse.cli.option.LogOptions;
import org.posthouse.cli.option.LogWords;
import org.posthouse.cli.option.MemoryOptions;
import org.posthouse.cli.option.ModeOptions;
import org.posthouse.cli.option.NamesOptions;
import org.posthouse.cli.option.OptionsInUse;
import org.posthouse.cli.option.Problems;
import org.posthouse.cli.option.StageCacheOption;
import org.posthouse.cli.option.SupervisedOption;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.cli.terminal.LogOutput;
import org.posthouse.core.CoreConfig;
import org.posthouse.directory.GroupConfig;
import org.posthouse.directory.GroupException;
import org.posthouse.directory.RelayEntry;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;
import org.posthouse.keys.SiteName;
import org.posthouse.launch.install.ReadyLine;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.ops.OpsConfig;
import org.posthouse.ops.trace.ControlTraces;
import org.posthouse.relay.config.AcceptorConfig;
import org.posthouse.relay.config.EventLoopKind;
import org.posthouse.relay.config.LauncherTimeout;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.NamesConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.config.SocketKind;
import org.posthouse.relay.host.RelayHost;
import org.posthouse.tunnel.Compression;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.forward.LoopbackConfig;
import org.posthouse.tunnel.socket.TlsKind;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code posthouse relay}: one relay, until it is told to end. */
@Command(
        name = "relay",
        description = "Runs a site's relay until it is interrupted.",
        mixinStandardHelpOptions = true,
        abbreviateSynopsis = true,
        footer = {
            "",
            "Two sites on one host:",
            "  posthouse keys init grid",
            "  posthouse keys issue --authority grid --into keys-a site-a",
            "  posthouse keys issue --authority grid --into keys-b site-b",
            "  posthouse relay --site site-a --keys keys-a --data data-a \\",
            "      --links 127.0.0.1:7412",
            "  posthouse relay --site site-b --keys keys-b --data data-b \\",
            "      --links 127.0.0.1:7432 --peer site-a=127.0.0.1:7412 \\",
            "      --listen 127.0.0.1:7421 --ops 127.0.0.1:7423 \\",
            "      --group 127.0.0.1:7424 --member 127.0.0.1:7414",
            "",
            "A second relay of site-b, which shares its ranks:",
            "  posthouse relay --site site-b --name 2 --keys keys-b --data data-b \\",
            "      --links 127.0.0.1:7442 \\",
            "      --peer site-a=127.0.0.1:7412 --peer site-b=127.0.0.1:7432 \\",
            "      --listen 127.0.0.1:7431 --ops 127.0.0.1:7433 \\",
            "      --group 127.0.0.1:7434 --member 127.0.0.1:7414"
        })
public final class RelayCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Mixin
    private ConfigOption config;

    @Option(names = "--site", required = true, paramLabel = "NAME", description = "The site: 1 to 63 of a-z, 0-9 and hyphen.")
    private String site;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = RelayId.FIRST,
            description = "This relay's name among those of its site; it is called SITE/NAME, or SITE if it is ${DEFAULT-VALUE},"
                    + " the default.")
    private String name;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            defaultValue = "127.0.0.1:7411",
            description = "Where ranks and launchers connect (default: ${DEFAULT-VALUE}).")
    private HostPort listen;

    @Option(
            names = "--announce",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "Where launchers reach this relay that hear of it from other relays (default: --listen); needed where that is every address"
                    + " of a host, or a container's.")
    private HostPort announce;

    @Option(
            names = "--traces",
            paramLabel = "URL",
            description = "Send OpenTelemetry traces of jobs, restarts, changes and orders to this collector (OTLP over HTTP, such as"
                    + " http://127.0.0.1:4318).")
    private String traces;

    @Mixin
    private RelayConsoleOptions console;

    @Mixin
    private ModeOptions mode;

    @Option(
            names = "--transport",
            defaultValue = "AUTO",
            description = "What sockets are made of: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}: NIO, which every mode can read).")
    private SocketKind sockets;

    @Option(
            names = "--busy-poll",
            paramLabel = "MICROS",
            converter = BusyPollTime.class,
            defaultValue = "0",
            description = "How long an event loop asks its sockets again and again before it sleeps, at most 1000000;"
                    + " takes a processor for each loop while it asks (default: ${DEFAULT-VALUE}).")
    private int busyPollUs;

    @Option(names = "--data", paramLabel = "DIR", description = "Where the log is kept; without it, jobs cannot be logged.")
    private Path data;

    @Mixin
    private LogOptions log;

    @Mixin
    private MemoryOptions memory;

    @Mixin
    private StageCacheOption stageCache;

    @Option(
            names = "--launcher-timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long a job that this relay has from its log waits for its launcher; one that its launcher has left, half of"
                    + " it (default: ${DEFAULT-VALUE}).")
    private int launcherTimeoutSeconds;

    @Option(
            names = "--keep-max",
            paramLabel = "SECONDS",
            defaultValue = "" + LauncherTimeout.KEEP_SECONDS_MAX_DEFAULT,
            description = "How long a job may ask this relay to keep it without its launcher (run --launcher-timeout); one that asks for more is"
                    + " refused (default: ${DEFAULT-VALUE}, 7 days).")
    private int keepMaxSeconds;

    @Option(
            names = "--keys",
            paramLabel = "DIR",
            description = "The site's keys, as \"posthouse keys issue\" wrote them: for links, and for TLS with the ranks, launchers and agents of"
                    + " other hosts.")
    private Path keys;

    @Option(
            names = "--links",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "Where other relays may dial this one; without it, this relay only dials.")
    private HostPort links;

    @Option(
            names = "--peer",
            paramLabel = "RELAY=HOST:PORT",
            parameterConsumer = EachOnce.class,
            description = "A relay to dial, as SITE or SITE/NAME, of this site or another; may be repeated.")
    private Map<String, String> peers = new LinkedHashMap<>();

    @Mixin
    private ForwardOptions forwards;

    @Mixin
    private GroupOptions group;

    @Mixin
    private NamesOptions names;

    @Mixin
    private JudgesOptions judges;

    @Option(
            names = "--link-patience",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "How long a link may be down until the jobs that have ranks at its far end end with SITE_UNREACHABLE; 0: they"
                    + " wait for ever (default: ${DEFAULT-VALUE}).")
    private int linkPatienceSeconds;

    @Option(
            names = "--lanes",
            paramLabel = "N",
            description = "Connections for each link that this relay dials, 1 to 8; 0: as many as are of use (default: 0).")
    private int lanes;

    @Option(
            names = "--compress",
            defaultValue = "AUTO",
            paramLabel = "WHEN",
            description = "Whether links pack large frames: auto, while it pays by what is measured; always; or never, neither those sent nor those"
                    + " that come (default: auto).")
    private Compression compression;

    @Option(
            names = "--tls",
            paramLabel = "KIND",
            description = "Whose TLS this relay uses: native, jdk, or auto: native where it is to be had (default: auto).")
    private TlsKind tls = TlsKind.AUTO;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Launchers must show the token in this file: 32 hexadecimal digits that only the owner may read.")
    private Path tokenFile;

    @Option(
            names = "--unsafe-plain-ranks",
            description = "With --keys: take ranks, launchers and agents of other hosts without TLS too. Who can read the network between"
                    + " then reads what they send.")
    private boolean unsafePlainRanks;

    @Option(names = "--check-config", description = "Say whether a relay can be started with these options, or all that is wrong with them, and end.")
    private boolean checkOnly;

    @Option(names = "--print-config", description = "Print what each option is, given or by default, and end; with --json as JSON.")
    private boolean printOnly;

    @Option(names = "--json", description = "Print the ready line, or the options, as JSON.")
    private boolean json;

    @Mixin
    private LogFormatOption logFormat;

    @Option(names = "--end-with-input", hidden = true, description = "End when standard input does.")
    private boolean endWithInput;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        logFormat.apply();
        Settings settings = settings();
        withoutEffect().ifPresent(System.err::println);
        if (printOnly || checkOnly) {
            System.out.println(printOnly ? inUse().text(json) : "relay " + settings.relay().relay() + " can be started with these options");
            return 0;
        }
        if (!endWithInput) { // Else another command shows what becomes of its relays.
            LogOutput.showEvents(Lifecycle.LOGGER);
        }
        try (RelayHost host = start(withData(settings))) {
            ready(settings.relay(), host);
            awaitEnd(host);
        } catch (IOException | IllegalArgumentException | GroupException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
        return 0;
    }

    /** All that say what the relay is. */
    OptionsInUse inUse() {
        return OptionsInUse.of(command, config.configuration(), "--config", "--check-config", "--print-config", "--json");
    }

    /** With what the data folder has for it: the console's secret, unless another is named, and the audit log. */
    private Settings withData(Settings settings) throws CommandFailure {
        if (data == null) {
            return settings;
        }
        AuditFile.open(AuditFile.of(settings.relay().logFolder().orElseThrow()));
        return new Settings(settings.relay(), settings.loops(), settings.group(), settings.names(), console.withSecretOf(data, settings.ops()),
                settings.traces());
    }

    private static RelayHost start(Settings settings) throws IOException, GroupException {
        Predicate<RelayEntry> answers = entry -> RelayClient.answers(entry.relay(), entry.address(), settings.relay().door().launchToken());
        return RelayHost.start(settings.relay(), settings.loops(), settings.group(), settings.names(), settings.ops(), settings.traces(), answers);
    }

    /** A notice about log options that were given to a relay without a log; empty if there are none. */
    public Optional<String> withoutEffect() {
        return data != null
                ? Optional.empty()
                : LogWords.withoutLog(
                        command, "the relay has no log; give --data DIR", "--log-limit", "--log-high-mark", "--on-log-full", "--launcher-timeout",
                        "--keep-max");
    }

    /** The settings that a relay is started with. */
    record Settings(RelayConfig relay, EventLoopKind loops, GroupConfig group, NamesConfig names, OpsConfig ops, Optional<URI> traces) {}

    /** From the options, checked as a whole. Opens nothing but what it reads: keys and the token. @throws CommandFailure with all that is wrong */
    Settings settings() throws CommandFailure {
        Problems problems = new Problems();
        checkNames(problems);
        checkDoors(problems);
        DataFolder.check(data, problems);
        ForwardConfig forwarded = forwards.config(problems);
        group.check(problems);
        Optional<LoopbackConfig> meeting = group.loopback(keys != null, problems);
        meeting.filter(service -> forwards.offers(service.door()))
                .ifPresent(service -> problems.add("--forward " + service.door() + " is the door of --tunnel-group: give yours another name"));
        checkJudges(problems);
        if (launcherTimeoutSeconds < 0) {
            problems.add("--launcher-timeout " + launcherTimeoutSeconds + ", expected 0 or more");
        }
        if (keepMaxSeconds < 0 || keepMaxSeconds > JobOpen.KEEP_SECONDS_MAX) {
            problems.add("--keep-max " + keepMaxSeconds + ", expected 0 to " + JobOpen.KEEP_SECONDS_MAX + " seconds (31 days)");
        }
        if (linkPatienceSeconds < 0) {
            problems.add("--link-patience " + linkPatienceSeconds + ", expected 0 or more");
        }
        LogLimits limits = problems.of(log::limits);
        Long unexpectedBytes = problems.of(memory::unexpectedBytes);
        ModeConfig modes = problems.of(mode::config);
        EventLoopKind loops = problems.of(() -> loops(modes));
        Token token = problems.of(() -> TokenFile.read(tokenFile));
        SiteKeys siteKeys = problems.of(this::siteKeys);
        problems.report();
        RelayId relay = new RelayId(site, name);
        long epoch = System.currentTimeMillis();
        ForwardConfig judged = names.isRaft() ? judges.over(relay.toString(), forwarded) : forwarded;
        LinkConfig links =
                problems.of(() -> linkConfig(relay, epoch, siteKeys, meeting.map(service -> judged.loopback(relay.toString(), service)).orElse(judged)));
        Optional<URI> collector = traces == null ? Optional.empty() : Optional.ofNullable(problems.of(() -> ControlTraces.endpoint(traces)));
        OpsConfig ops = console.config(problems);
        problems.report();
        AcceptorConfig door = new AcceptorConfig(
                listen.host(),
                listen.port(),
                Optional.ofNullable(announce).map(HostPort::toString),
                LocalSockets.of(System.getenv()),
                token,
                AcceptorConfig.HELLO_TIMEOUT_MS_DEFAULT,
                AcceptorConfig.CONNECTIONS_MAX_DEFAULT,
                unsafePlainRanks);
        RelayConfig config = new RelayConfig(
                site,
                relay.toString(),
                epoch,
                door,
                console.address().port() == 0 ? "" : console.address().toString(),
                modes,
                RelayConfig.SHARDS_DEFAULT,
                Optional.ofNullable(data).map(folder -> RelayConfig.logFolder(folder, relay)),
                limits,
                LauncherTimeout.ofSeconds(launcherTimeoutSeconds).keepMax(keepMaxSeconds),
                limits.core(CoreConfig.DEFAULT.withUnexpected(unexpectedBytes), RelayConfig.SHARDS_DEFAULT),
                Optional.ofNullable(links),
                linkPatienceSeconds,
                stageCache.bytes());
        GroupConfig member = problems.of(() -> group.config(config));
        NamesConfig kept = problems.of(() -> names.config(() -> judges.config(config)));
        problems.report();
        return new Settings(config, loops, member, kept, ops, collector);
    }

    private void checkJudges(Problems problems) {
        if (SiteName.isValid(site) && SiteName.isValid(name)) {
            judges.check(names.isRaft(), new RelayId(site, name), data, problems);
        }
        if (names.isRaft() && forwards.offers(JudgesOptions.DOOR)) {
            problems.add("--forward " + JudgesOptions.DOOR + " is the door of --names raft: give yours another name");
        }
    }

    private void checkNames(Problems problems) {
        if (!SiteName.isValid(site)) {
            problems.add("--site \"" + site + "\", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
        if (!SiteName.isValid(name)) {
            problems.add("--name \"" + name + "\", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
    }

    /** Checks the addresses that are open to others, and their authentication. */
    private void checkDoors(Problems problems) {
        console.check(data != null, problems);
        if (keys == null && (links != null || !peers.isEmpty())) {
            problems.add("--links and --peer need --keys: links are always authenticated");
        }
        if (keys == null && unsafePlainRanks) {
            problems.add("--unsafe-plain-ranks without --keys: such a relay speaks no TLS anyway");
        }
        if (!listen.isLoopback() && tokenFile == null) {
            problems.add("--listen " + listen + " can be reached from outside: give --token-file, so that not everybody can start jobs");
        }
        if (keys == null && forwards.given()) {
            problems.add("--forward and --via need --keys, and --links or --peer: they lead through links");
        }
    }

    private EventLoopKind loops(ModeConfig modes) {
        if (modes != null) {
            sockets.check(modes);
        }
        return new EventLoopKind(sockets, busyPollUs);
    }

    /** Null if there are none. */
    private SiteKeys siteKeys() throws CommandFailure, KeysException {
        if (keys == null) {
            return null;
        }
        SiteKeys siteKeys = SiteKeys.load(keys);
        if (!siteKeys.site().equals(site)) {
            throw new CommandFailure("--site " + site + ", but the keys in " + keys + " are for site " + siteKeys.site());
        }
        return siteKeys;
    }

    private LinkConfig linkConfig(RelayId relay, long epoch, SiteKeys siteKeys, ForwardConfig forwarded) {
        if (siteKeys == null) {
            return null;
        }
        LinkConfig config = LinkConfig.of(relay.toString(), epoch, siteKeys).lanes(lanes).tls(tls).forwards(forwarded).compression(compression);
        if (links != null) {
            config = config.listen(links.host(), links.port());
        }
        for (Map.Entry<String, String> peer : peers.entrySet()) {
            config = config.peer(RelayId.parse(peer.getKey()).toString(), peer.getValue());
        }
        return config;
    }

    private void ready(RelayConfig config, RelayHost host) {
        ReadyLine line = new ReadyLine(
                config.site(),
                config.relay(),
                host.relay().address(),
                host.relay().linkPort() == 0 ? "" : new HostPort(links.host(), host.relay().linkPort()).toString(),
                console.url(host.consolePort()));
        System.out.println(json ? line.json() : line.text());
        System.out.flush();
    }

    private void awaitEnd(RelayHost host) throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        if (endWithInput) {
            Thread.ofPlatform().daemon().name("posthouse-input").start(() -> {
                SupervisedOption.awaitEndOfInput();
                end.countDown();
            });
        }
        Thread hook = new Thread(host::close, "posthouse-relay-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        end.await();
        Interruption.removeHook(hook);
    }
}
