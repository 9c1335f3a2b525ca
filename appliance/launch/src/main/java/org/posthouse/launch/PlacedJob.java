package org.posthouse.launch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.launch.folder.JobFile;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.place.HomeAssignment;
import org.posthouse.launch.place.JobNodes;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.place.RelaySearch;
import org.posthouse.launch.process.JobVariables;
import org.posthouse.launch.process.LocalProcesses;
import org.posthouse.launch.process.ProcessStarter;
import org.posthouse.launch.provision.LaunchedAgents;
import org.posthouse.launch.remote.AgentPool;
import org.posthouse.launch.remote.JobStaging;
import org.posthouse.launch.remote.NodeJob;
import org.posthouse.launch.remote.NodeReservation;
import org.posthouse.launch.remote.PartsWait;
import org.posthouse.launch.remote.ReservationRetry;
import org.posthouse.launch.stage.JobContent;
import org.posthouse.launch.stage.StageException;
import org.posthouse.wire.ContentHash;
import org.posthouse.wire.FollowedRanks;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.StartSpec;
import org.posthouse.wire.Token;

/**
 * A job whose ranks have their homes and, if nodes are used, their nodes. Confined to the launching thread.
 *
 * @param opening how it is to be opened
 * @param request how its ranks were placed
 * @param nodes the use that it makes of nodes; empty: the ranks run on this host
 * @param places the nodes with slots of the job, each with the index of its relay among the job's homes
 * @param content the files that its nodes get; null if the ranks run on this host
 */
record PlacedJob(JobOpen opening, NodeRequest request, Optional<JobNodes> nodes, List<NodeReservation.Place> places, JobContent content) {
    private static final int STATUS_NOT_BEGUN = 1;

    /**
     * Connects to relays, and assigns each rank its home and its node.
     *
     * @param used becomes the relays that the job is to be opened at, in the order of its homes
     * @param printer prints a line for people
     */
    static PlacedJob place(JobSpec spec, PlacementRequest placementRequest, List<RelayClient> used, Consumer<String> printer) throws JobFailure {
        List<List<RelayClient>> sites = RelaySearch.find(placementRequest, spec.replicas().processes(spec.ranks()));
        List<RelayClient> found = new ArrayList<>(sites.stream().flatMap(List::stream).toList());
        NodeRequest request = placementRequest.nodes();
        try {
            if (placementRequest.parts().isPresent()) {
                return onParts(spec, placementRequest, found, used, printer);
            }
            boolean onNodes = request.use() == NodeRequest.Use.ALWAYS || request.use() == NodeRequest.Use.IF_THERE && NodeReservation.hasNodes(found);
            if (!onNodes && spec.replicas().areWanted()) {
                printer.accept("-r " + spec.replicas()
                        + ": all processes are on this host, so that its end ends the job; followers protect from the end of a process");
            }
            if (spec.remembers()) {
                printer.accept(
                        "-r " + spec.replicas() + " without --durability: followers read the memory of their relays, so that the end of a relay ends the job");
            }
            return onNodes ? onNodes(spec, request, found, used, printer, read(spec.classPath(), request.files())) : here(spec, request, sites, used);
        } catch (JobFailure e) {
            found.forEach(RelayClient::close);
            throw e;
        }
    }

    private static PlacedJob here(JobSpec spec, NodeRequest request, List<List<RelayClient>> sites, List<RelayClient> used) throws JobFailure {
        HomeAssignment homes = HomeAssignment.of(spec.ranks(), sites.stream().map(site -> site.stream().map(RelayClient::self).toList()).toList());
        keep(sites.stream().flatMap(List::stream).toList(), homes.homes(), used);
        JobOpen opening = opening(new SecureRandom().nextLong(), spec, homes.homes(), homes.homeOf());
        return new PlacedJob(opening, request, Optional.empty(), List.of(), null);
    }

    /** Waits until the sites' batch jobs have brought the slots. Whatever keeps the job from its begin ends their agents. */
    private static PlacedJob onParts(JobSpec spec, PlacementRequest placementRequest, List<RelayClient> found, List<RelayClient> used, Consumer<String> printer)
            throws JobFailure {
        NodeRequest request = placementRequest.nodes();
        read(spec.classPath(), request.files()).close(); // A file that is missing is not to be told hours later.
        PartsWait parts = new PartsWait(found, placementRequest.token(), placementRequest.parts().get(), request.sites(), request.labels(), printer);
        ReservationRetry retry = new ReservationRetry();
        try {
            while (true) {
                parts.await();
                try {
                    return onNodes(spec, request, found, used, printer, read(spec.classPath(), request.files()));
                } catch (JobFailure e) {
                    if (retry.isOver(parts.isIncomplete(), System.nanoTime())) {
                        throw e;
                    }
                    if (retry.isNews(e.getMessage())) {
                        printer.accept(e.getMessage() + "; the parts are waited for again");
                    }
                }
            }
        } catch (JobFailure e) {
            parts.end(STATUS_NOT_BEGUN, e.getMessage());
            throw e;
        }
    }

    /** Reads all files before any slot is reserved. */
    private static JobContent read(List<Path> classPath, List<Path> files) throws JobFailure {
        try {
            return JobContent.of(classPath, files);
        } catch (StageException e) {
            throw new JobFailure("the job's files cannot be staged: " + e.getMessage(), e);
        }
    }

    private static PlacedJob onNodes(
            JobSpec spec, NodeRequest request, List<RelayClient> found, List<RelayClient> used, Consumer<String> printer, JobContent content)
            throws JobFailure {
        try {
            return reserved(spec, request, found, used, printer, content);
        } catch (JobFailure e) {
            content.close();
            throw e;
        }
    }

    private static PlacedJob reserved(
            JobSpec spec, NodeRequest request, List<RelayClient> found, List<RelayClient> used, Consumer<String> printer, JobContent content)
            throws JobFailure {
        long job = new SecureRandom().nextLong();
        Token key = Token.random();
        NodeReservation reservation = new NodeReservation(
                found, job, key, System.getProperty("user.name"), request.allocation(spec.ranks(), spec.replicas()), launcherSeconds(spec), new Random());
        List<NodeReservation.Place> places = reservation.reserve();
        Map<Integer, Integer> homeOfLine = new HashMap<>();
        List<HomeRelay> homes = new ArrayList<>();
        int[] homeOf = new int[spec.ranks()];
        List<NodeReservation.Place> atHome = new ArrayList<>();
        for (NodeReservation.Place place : places) {
            int home = homeOfLine.computeIfAbsent(place.line(), line -> {
                homes.add(found.get(line).home());
                return homes.size() - 1;
            });
            place.ranks().forEach(rank -> homeOf[rank] = home);
            atHome.add(new NodeReservation.Place(home, place.offer(), place.ranks(), place.followed()));
        }
        JobOpen opening = requireOpening(reservation, places, job, spec, homes, homeOf);
        if (!request.allocation(spec.ranks(), spec.replicas()).job().isEmpty()) {
            String name = request.allocation(spec.ranks(), spec.replicas()).job();
            found.stream().filter(relay -> !homes.contains(relay.home())).forEach(relay -> PartsWait.end(relay, name, 0, "other nodes have its ranks"));
        }
        keep(found, homes, used);
        Set<String> hosts = new LinkedHashSet<>();
        places.forEach(place -> hosts.add(place.offer().host()));
        printer.accept(
                spec.ranks() + " ranks" + (spec.replicas().areWanted() ? " (-r " + spec.replicas() + ")" : "") + " on " + places.size() + " nodes ("
                        + hosts.size() + " hosts) of " + homes.stream().map(HomeRelay::site).distinct().count()
                        + " sites");
        JobNodes nodes = new JobNodes(request, key, content.names());
        return new PlacedJob(opening, request, Optional.of(nodes), atHome, content);
    }

    /** Gives the slots back if the job cannot be opened. */
    private static JobOpen requireOpening(
            NodeReservation reservation, List<NodeReservation.Place> places, long job, JobSpec spec, List<HomeRelay> homes, int[] homeOf)
            throws JobFailure {
        try {
            return opening(job, spec, homes, homeOf);
        } catch (JobFailure e) {
            reservation.release(places);
            throw e;
        }
    }

    /** How long agents keep the job's processes while nobody is connected for it. */
    private static int launcherSeconds(JobSpec spec) {
        int relaySeconds = (int) TimeUnit.MILLISECONDS.toSeconds(spec.patience().relayTimeoutMs());
        return spec.logged() ? Math.max(relaySeconds, spec.patience().launcherSeconds()) : 0;
    }

    private static void keep(List<RelayClient> found, List<HomeRelay> homes, List<RelayClient> used) {
        for (RelayClient relay : found) {
            if (homes.contains(relay.home())) {
                used.add(relay);
            } else {
                relay.close();
            }
        }
        used.sort(Comparator.comparingInt(relay -> homes.indexOf(relay.home())));
    }

    private static JobOpen opening(long job, JobSpec spec, List<HomeRelay> homes, int[] homeOf) throws JobFailure {
        JobOpen plain = new JobOpen(
                job, Token.random(), spec.durability(), false, spec.name(), homes, homeOf, spec.patience().launcherSeconds(), false);
        JobOpen without = spec.rebuilds() ? rebuilding(plain, spec.patience().maxRestarts()) : plain.with(spec.onFailure());
        JobOpen opening = spec.remembers() ? without.with(FollowedRanks.of(spec.replicas().degrees(spec.ranks()))) : without;
        requireRoom(opening);
        return opening;
    }

    private static JobOpen rebuilding(JobOpen plain, int newProcesses) throws JobFailure {
        long processes = plain.size() * (newProcesses + 1L);
        if (processes > JobOpen.RANKS_MAX) {
            throw new JobFailure("--on-failure rebuild with --max-restarts " + newProcesses + ": " + plain.size() + " ranks would have up to " + processes
                    + " processes, expected " + JobOpen.RANKS_MAX + " at most; use fewer restarts or fewer ranks");
        }
        return plain.rebuilding(newProcesses + 1);
    }

    /** @throws JobFailure if the job has too many ranks and relays for one frame */
    static void requireRoom(JobOpen opening) throws JobFailure {
        try {
            opening.encode();
        } catch (IllegalArgumentException e) {
            throw new JobFailure(
                    "a job of " + opening.size() + " ranks at " + opening.homes().size() + " relays cannot be opened: " + e.getMessage()
                            + "; use fewer relays (--relays-per-site) or fewer ranks",
                    e);
        }
    }

    /**
     * A job that another launcher has left. Its nodes are those whose agents have it.
     *
     * @throws JobFailure if its files have changed
     */
    static PlacedJob left(JobFile job) throws JobFailure {
        if (job.nodes().isEmpty()) {
            return new PlacedJob(job.opening(), NodeRequest.LOCAL, Optional.empty(), List.of(), null);
        }
        NodeRequest request = job.nodes().get().request().withoutLabel(LaunchedAgents.LABEL); // Those that the first launcher had brought are gone.
        JobContent content = read(job.spec().classPath().stream().map(job.folder()::resolve).toList(), request.files());
        List<String> changed = new ArrayList<>(job.nodes().get().contents());
        changed.removeAll(content.names());
        if (!changed.isEmpty()) {
            content.close();
            throw new JobFailure("the job's files are not those that it began with: " + changed.getFirst()
                    + " is missing; put them back, or end the job with posthouse resume --end");
        }
        return new PlacedJob(job.opening(), request, job.nodes(), List.of(), content);
    }

    /** The same job, opened so that another launcher may continue it. */
    PlacedJob kept() {
        return new PlacedJob(opening.keepingOutput(), request, nodes, places, content);
    }

    /**
     * Starts the job's processes where they were placed. Their files are there, or at their relays, when it returns; those
     * of a job that was left follow when the relays are dialled.
     *
     * @param folder that of a job that another launcher may continue; else null
     * @param failed takes the reason, in one line, if a process cannot be started on its node
     */
    ProcessStarter starter(JobSpec spec, JobRelays relays, JobFolder folder, Consumer<String> printer, Consumer<String> failed) throws JobFailure {
        if (nodes.isEmpty()) {
            return here(spec, folder);
        }
        JobStaging staging = new JobStaging(content, opening.homes().stream().map(HomeRelay::relay).toList(), relays);
        AgentPool pool = new AgentPool(
                nodeJob(spec, nodes.get()), relays, opening.homes().stream().map(HomeRelay::site).toList(), opening.homeOf(),
                request.allocation(spec.ranks(), spec.replicas()), request.spares(), request.nodeTimeoutMs(), request.detector(), folder != null, staging,
                printer,
                failed);
        places.forEach(place -> pool.add(place.line(), place.offer(), place.ranks(), place.followed()));
        relays.nodes(pool);
        if (folder != null && folder.isLeft()) {
            pool.watch();
            return pool;
        }
        try {
            pool.stage(request.display());
        } catch (JobFailure e) {
            pool.jobEnded(STATUS_NOT_BEGUN, e.getMessage());
            pool.close();
            throw e;
        }
        pool.watch();
        return pool;
    }

    private ProcessStarter here(JobSpec spec, JobFolder folder) throws JobFailure {
        if (folder != null && !request.files().isEmpty()) {
            throw new JobFailure(
                    "--file and --folder, with ranks beside the launcher: another launcher would not have the files; name them by their paths");
        }
        if (folder != null && !request.workFolder().isEmpty()) {
            throw new JobFailure("--wdir and --folder, with ranks beside the launcher: call posthouse run in that folder");
        }
        ProcessStarter here = new LocalProcesses(spec, opening.job(), folder == null ? workFolder() : folder.job().folder());
        return request.files().isEmpty() ? here : LinkingStarter.of(here, request.files());
    }

    /** Null: where this process runs. */
    private Path workFolder() throws JobFailure {
        if (request.workFolder().isEmpty()) {
            return null;
        }
        Path asked = Path.of(request.workFolder()).toAbsolutePath();
        if (!Files.isDirectory(asked)) {
            throw new JobFailure("--wdir " + asked + " is no folder of this host");
        }
        return asked;
    }

    private static List<StartSpec.StagedFile> staged(List<JobContent.StagedContent> contents) {
        return contents.stream()
                .map(each -> new StartSpec.StagedFile(each.name(), ContentHash.of(each.id().digest()), each.id().bytes()))
                .toList();
    }

    private NodeJob nodeJob(JobSpec spec, JobNodes used) {
        return new NodeJob(
                opening.job(), used.key(), spec.mainClass(), spec.arguments(), spec.jvmFlags(), environment(spec), staged(content.classPath()),
                staged(content.files()), request.workFolder(),
                spec.goesOn(), spec.goesOn() ? spec.patience().silenceSeconds() : 0, launcherSeconds(spec));
    }

    private Map<String, String> environment(JobSpec spec) {
        Map<String, String> environment = new HashMap<>(request.environment());
        environment.putAll(JobVariables.of(spec));
        return environment;
    }
}
