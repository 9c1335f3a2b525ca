package org.posthouse.launch.provision;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.Token;

/**
 * Brings agents to hosts by one command a host ({@code --launch-agent}), which runs as long as its agent. Guarded by
 * itself; events come from threads of their own, without a lock.
 *
 * <p>The launch token is the first line of each command's standard input, and in no command line. The end of this input
 * ends the agent, so that agents go when this process dies. A command that does not end by that within the grace is
 * killed, with the processes below it; no other process is touched.
 */
public final class CommandProvisioner implements Provisioner {
    /** An agent has to end its ranks first. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final CommandTemplate template;
    private final List<HostSlots> hosts;
    private final Function<HostSlots, List<String>> agent;
    private final Token token;
    private final Consumer<String> show;
    private final Duration grace;
    private final List<Consumer<HostLost>> listeners = new CopyOnWriteArrayList<>();
    /** The running commands, by host, of each grant. */
    private final Map<Long, Map<String, HostCommand>> grants = new HashMap<>();

    private long lastGrant;
    private boolean closed;

    private CommandProvisioner(
            CommandTemplate template, List<HostSlots> hosts, Function<HostSlots, List<String>> agent, Token token, Consumer<String> show,
            Duration grace) {
        this.template = template;
        this.hosts = List.copyOf(hosts);
        this.agent = agent;
        this.token = token;
        this.show = show;
        this.grace = grace;
    }

    /**
     * One for these hosts. Nothing is started yet.
     *
     * @param template {@code ssh {host}}, for example
     * @param agent the agent's command for a host, which reads its token from its standard input ({@code --token-stdin})
     * @param token the launch token of the relays
     * @param show takes each line that a command prints, with its host before it
     * @throws JobFailure in one line, if the template is no command
     */
    public static CommandProvisioner of(
            String template, List<HostSlots> hosts, Function<HostSlots, List<String>> agent, Token token, Consumer<String> show)
            throws JobFailure {
        return of(template, hosts, agent, token, show, GRACE);
    }

    /** The same with another time from the end of the input to the kill. */
    static CommandProvisioner of(
            String template, List<HostSlots> hosts, Function<HostSlots, List<String>> agent, Token token, Consumer<String> show, Duration grace)
            throws JobFailure {
        return new CommandProvisioner(CommandTemplate.parse(template), hosts, agent, token, show, grace);
    }

    @Override
    public void listen(Consumer<HostLost> listener) {
        listeners.add(listener);
    }

    @Override
    public HostGrant request(HostRequest request) throws JobFailure {
        Map<HostSlots, List<String>> commands = new LinkedHashMap<>();
        HostGrant grant;
        List<HostCommand> started = new ArrayList<>();
        JobFailure failure = null;
        synchronized (this) {
            if (closed) {
                throw new JobFailure("no agents are started any more");
            }
            for (HostSlots host : choose(request)) {
                commands.put(host, template.command(host.host(), agent.apply(host)));
            }
            grant = new HostGrant(++lastGrant, List.copyOf(commands.keySet()));
            try {
                for (Map.Entry<HostSlots, List<String>> each : commands.entrySet()) {
                    started.add(HostCommand.start(each.getKey(), each.getValue(), token.hex(), show));
                }
                Map<String, HostCommand> running = new LinkedHashMap<>();
                started.forEach(command -> running.put(command.host().host(), command));
                grants.put(grant.number(), running);
            } catch (IOException e) {
                failure = new JobFailure("--launch-agent '" + template + "' cannot be started: " + Causes.text(e), e);
            }
        }
        if (failure != null) {
            end(started);
            throw failure;
        }
        started.forEach(command -> watch(grant, command));
        return grant;
    }

    /** Free hosts in the order of the file. */
    private List<HostSlots> choose(HostRequest request) throws JobFailure {
        List<HostSlots> free = hosts.stream().filter(host -> grants.values().stream().noneMatch(grant -> grant.containsKey(host.host()))).toList();
        if (request.hosts() > free.size()) {
            throw new JobFailure("asked for " + request.hosts() + " hosts: " + count(free.size(), "host is", "hosts are") + " free, of " + hosts.size());
        }
        if (request.hosts() > 0) {
            return free.subList(0, request.hosts());
        }
        if (free.isEmpty()) {
            throw new JobFailure("no host is free, of " + hosts.size());
        }
        if (request.slots() == 0) {
            return free;
        }
        int slots = 0;
        for (int i = 0; i < free.size(); i++) {
            if (free.get(i).slots().isEmpty()) {
                return free; // Nobody knows yet whether some suffice.
            }
            slots += free.get(i).slots().getAsInt();
            if (slots >= request.slots()) {
                return free.subList(0, i + 1);
            }
        }
        throw new JobFailure("asked for " + request.slots() + " slots: the " + count(free.size(), "free host has ", "free hosts have ") + slots);
    }

    private static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    private void watch(HostGrant grant, HostCommand command) {
        String host = command.host().host();
        Thread.ofVirtual().name("posthouse-host-" + host + "-end").start(() -> {
            try {
                int status = command.await();
                synchronized (this) {
                    Map<String, HostCommand> running = grants.get(grant.number());
                    if (running == null || !running.remove(host, command)) {
                        return; // Released.
                    }
                }
                String last = command.lastLine();
                String text = "host " + host + " has no agent: '" + template + "' ended with status " + status + (last.isEmpty() ? "" : ": " + last);
                HostLost lost = new HostLost(grant.number(), host, status, last, text, false);
                listeners.forEach(listener -> listener.accept(lost));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public void release(HostGrant grant) {
        Map<String, HostCommand> running;
        synchronized (this) {
            running = grants.remove(grant.number());
        }
        if (running != null) {
            end(running.values());
        }
    }

    /** All at once: by the end of their input, and those that are left after the grace by a kill. */
    private void end(Collection<HostCommand> commands) {
        commands.forEach(HostCommand::closeInput);
        long end = System.nanoTime() + grace.toNanos();
        boolean interrupted = false;
        for (HostCommand command : commands) {
            try {
                if (!interrupted && command.awaitEnd(end - System.nanoTime())) {
                    command.await();
                    continue;
                }
            } catch (InterruptedException e) {
                interrupted = true; // No grace for the rest.
            }
            interrupted |= kill(command);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether this thread was interrupted meanwhile */
    private static boolean kill(HostCommand command) {
        try {
            command.kill();
            return false;
        } catch (InterruptedException e) {
            return true; // It was killed, and nobody waits for its end.
        }
    }

    /** The process ids of the running commands, for tests. */
    synchronized List<Long> pids() {
        return grants.values().stream().flatMap(each -> each.values().stream()).map(HostCommand::pid).toList();
    }

    /** Releases all grants. No agent is started any more. */
    @Override
    public void close() {
        List<HostCommand> all = new ArrayList<>();
        synchronized (this) {
            closed = true;
            grants.values().forEach(each -> all.addAll(each.values()));
            grants.clear();
        }
        end(all);
    }
}
