package org.posthouse.launch.provision;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;

/**
 * Nodes that Slurm has allocated: to the job that this process is in, or to a salloc that this process has started.
 *
 * <p>A salloc runs {@code cat} in the allocation, whose standard input is a pipe of this process. When this process ends,
 * however it does, cat ends, and salloc gives the allocation back. Closing it does the same in order.
 */
public final class SlurmAllocation implements AutoCloseable {
    /** Prints Slurm's variables, and holds the allocation until its input ends. */
    private static final String HOLD = "env | grep '^SLURM'; echo; exec cat";

    private static final Pattern JOB = Pattern.compile("salloc: (?:Pending job allocation|Granted job allocation) ([0-9]+)");
    private static final long END_SECONDS = 10;
    private static final long QUEUE_LOOK_SECONDS = 15;

    /** A long time limit is told of so early. */
    private static final Duration MARGIN_MAX = Duration.ofMinutes(5);

    private static final Duration LOOK_MAX = Duration.ofSeconds(30);

    private final Map<String, String> environment;
    private final List<Integer> tasks;

    /** Null for an allocation that this process is in. */
    private final Process salloc;

    private Thread clock;

    private SlurmAllocation(Map<String, String> environment, Process salloc) throws JobFailure {
        this.environment = Map.copyOf(environment);
        this.salloc = salloc;
        try {
            this.tasks = SlurmTasks.parse(environment.getOrDefault("SLURM_TASKS_PER_NODE", ""));
        } catch (IllegalArgumentException e) {
            throw new JobFailure("SLURM_TASKS_PER_NODE: " + e.getMessage(), e);
        }
    }

    /**
     * The allocation that this process is in, if it has more than the node where this process is.
     *
     * @param own this process's variables
     */
    public static Optional<SlurmAllocation> around(Map<String, String> own) throws JobFailure {
        String nodes = own.getOrDefault("SLURM_JOB_NUM_NODES", "");
        boolean isTaskOfMany = own.containsKey("SLURM_STEP_ID") && !own.getOrDefault("SLURM_STEP_NUM_TASKS", "1").equals("1");
        boolean isElsewhere = !own.containsKey("SLURMD_NODENAME");
        if (!own.containsKey("SLURM_JOB_ID") || isTaskOfMany || !isElsewhere && (nodes.isEmpty() || nodes.equals("1"))) {
            return Optional.empty();
        }
        return Optional.of(new SlurmAllocation(slurm(own), null));
    }

    private static Map<String, String> slurm(Map<String, String> all) {
        Map<String, String> found = new HashMap<>(all);
        found.keySet().removeIf(name -> !name.startsWith("SLURM"));
        return found;
    }

    /**
     * Asks Slurm for an allocation, and waits until it is granted.
     *
     * @param options of salloc, such as {@code -N 4 -t 10}
     * @param show takes lines about the queue
     * @throws JobFailure in one line, if Slurm refuses, or the thread is interrupted; nothing is asked for any more then
     */
    public static SlurmAllocation request(String options, Consumer<String> show) throws JobFailure {
        SchedulerCommands.require("salloc");
        List<String> words = new ArrayList<>(List.of("salloc"));
        words.addAll(CommandTemplate.split(options, "--slurm"));
        words.addAll(List.of("sh", "-c", HOLD));
        Request request = new Request(show);
        try {
            Process salloc = SchedulerCommands.builder(words, Map.of()).start();
            Thread reader = Thread.ofPlatform().daemon().name("posthouse-salloc").start(() -> request.output.read(salloc.getErrorStream()));
            Thread queue = Thread.ofVirtual().name("posthouse-queue").start(request::lookAtTheQueue);
            try {
                Map<String, String> variables = variables(salloc);
                if (variables.containsKey("SLURM_JOB_ID")) {
                    return new SlurmAllocation(variables, salloc);
                }
                int status = salloc.waitFor();
                reader.join(TimeUnit.SECONDS.toMillis(1));
                throw new JobFailure("Slurm has granted no allocation: salloc ended with status " + status + request.lastWords());
            } catch (IOException e) {
                end(salloc, request.job());
                throw new JobFailure("salloc cannot be read: " + Causes.text(e), e);
            } catch (InterruptedException e) {
                end(salloc, request.job());
                Thread.currentThread().interrupt();
                throw new JobFailure("interrupted while Slurm's queue was waited for", e);
            } catch (JobFailure e) {
                end(salloc, request.job());
                throw e;
            } finally {
                queue.interrupt();
            }
        } catch (IOException e) {
            throw new JobFailure("salloc cannot be started: " + Causes.text(e), e);
        }
    }

    /** Reads on a thread of its own: reading cannot be interrupted. */
    private static Map<String, String> variables(Process salloc) throws IOException, InterruptedException {
        Map<String, String> found = new HashMap<>();
        List<IOException> fault = new ArrayList<>();
        Thread reader = Thread.ofPlatform().daemon().name("posthouse-salloc-variables").start(() -> {
            try {
                BufferedReader in = new BufferedReader(new InputStreamReader(salloc.getInputStream(), StandardCharsets.UTF_8));
                for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                    int equals = line.indexOf('=');
                    if (equals > 0) {
                        found.put(line.substring(0, equals), line.substring(equals + 1));
                    }
                }
            } catch (IOException e) {
                fault.add(e);
            }
        });
        reader.join();
        if (!fault.isEmpty()) {
            throw fault.getFirst();
        }
        return found;
    }

    /** What salloc and squeue say while an allocation is waited for. */
    private static final class Request {
        private final Consumer<String> show;
        private final AgentOutput output;

        /** Empty before Slurm has given it. Guarded by this. */
        private String job = "";

        Request(Consumer<String> show) {
            this.show = show;
            this.output = new AgentOutput(line -> line, this::line);
        }

        private synchronized void line(String line) {
            Matcher number = JOB.matcher(line);
            job = number.lookingAt() ? number.group(1) : job;
            show.accept(line);
        }

        synchronized String job() {
            return job;
        }

        String lastWords() {
            return output.last().stream().filter(line -> line.contains("error")).findFirst().or(() -> output.last().stream().reduce((a, b) -> b))
                    .map(line -> ": " + line)
                    .orElse("");
        }

        void lookAtTheQueue() {
            String before = "";
            try {
                while (true) {
                    TimeUnit.SECONDS.sleep(before.isEmpty() ? 2 : QUEUE_LOOK_SECONDS);
                    String number = job();
                    String now = number.isEmpty() ? "" : SchedulerCommands.ask("squeue", "-h", "-j", number, "-o", "%T (%r), expected start %S");
                    if (!now.isEmpty() && !now.equals(before)) {
                        show.accept("Slurm's job " + number + ": " + AgentOutput.printable(now));
                        before = now;
                    }
                }
            } catch (InterruptedException | JobFailure e) {
                // It was granted; or squeue does not answer, and salloc says what there is to say.
                assert e.getMessage() != null;
            }
        }
    }

    /** Slurm's number of the job. */
    public String job() {
        return environment.getOrDefault("SLURM_JOB_ID", "");
    }

    /** Slurm's variables in the allocation. */
    Map<String, String> environment() {
        return environment;
    }

    /** Whether this process has asked for it. */
    public boolean isOwn() {
        return salloc != null;
    }

    /** The slots of each node in Slurm's short form. */
    String tasksPerNode() {
        return environment.get("SLURM_TASKS_PER_NODE");
    }

    /** The slots of each node, in the order of its nodes. */
    List<Integer> tasks() {
        return tasks;
    }

    /** The names of its nodes. */
    List<String> nodes() throws JobFailure {
        return SchedulerCommands.ask("scontrol", "show", "hostnames", environment.getOrDefault("SLURM_JOB_NODELIST", "")).lines().toList();
    }

    /**
     * Watches the time limit, which may be changed meanwhile.
     *
     * @param margin how long before the end; empty for a tenth of the limit, at most 5 minutes
     * @param near called once, from another thread, with the time that is left
     */
    public void watchEnd(Optional<Duration> margin, Consumer<Duration> near) {
        clock = Thread.ofVirtual().name("posthouse-time-limit").start(() -> {
            try {
                while (true) {
                    String[] times = SchedulerCommands.ask("squeue", "-h", "-j", job(), "-o", "%L|%l").split("\\|", -1);
                    Optional<Duration> left = SlurmTime.parse(times[0]);
                    Optional<Duration> limit = times.length < 2 ? Optional.empty() : SlurmTime.parse(times[1]);
                    Duration wanted = margin.orElseGet(() -> usual(limit));
                    if (left.isPresent() && left.get().compareTo(wanted) <= 0) {
                        near.accept(left.get());
                        return;
                    }
                    Duration until = left.map(time -> time.minus(wanted)).orElse(LOOK_MAX);
                    TimeUnit.MILLISECONDS.sleep(Math.min(until.toMillis(), LOOK_MAX.toMillis()) + 100);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (JobFailure e) {
                // Slurm does not know the job any more, or does not answer: the agents' end says so.
                assert e.getMessage() != null;
            }
        });
    }

    private static Duration usual(Optional<Duration> limit) {
        Duration tenth = limit.map(time -> time.dividedBy(10)).orElse(MARGIN_MAX);
        return tenth.compareTo(MARGIN_MAX) < 0 ? tenth : MARGIN_MAX;
    }

    /** Gives an allocation back that was asked for. */
    @Override
    public void close() {
        if (clock != null) {
            clock.interrupt();
        }
        if (salloc != null) {
            end(salloc, job());
        }
    }

    /** By the end of its input; and by scancel, for one that waits or does not end. */
    private static void end(Process salloc, String job) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            salloc.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
            assert e.getMessage() != null;
        }
        try {
            if (!job.isEmpty()) {
                SchedulerCommands.ask("scancel", "-Q", job);
            }
        } catch (JobFailure e) {
            // It is gone already, or the controller does not answer.
            assert e.getMessage() != null;
        }
        salloc.destroy();
        try {
            if (!salloc.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                salloc.destroyForcibly();
            }
        } catch (InterruptedException e) {
            wasInterrupted = true;
            salloc.destroyForcibly();
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
