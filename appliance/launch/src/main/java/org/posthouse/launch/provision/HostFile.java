package org.posthouse.launch.provision;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;

/**
 * Hosts in a file as {@code mpirun} reads it: one a line, {@code HOST [slots=N] [max-slots=N] [site=NAME]} (Open MPI) or
 * {@code HOST:N} (MPICH), with comments behind {@code #}. Further lines of a host add their slots. A host without slots
 * leaves them to its agent, unless it is named several times: then each line counts one, as in Open MPI. Immutable.
 */
public final class HostFile {
    private static final int SLOTS_MAX = 100_000;

    /** No first character with which a command would take a host for one of its options. */
    private static final Pattern HOST = Pattern.compile("(?:[A-Za-z0-9_][\\w.-]*@)?[A-Za-z0-9_][\\w.-]*");

    private static final Pattern IPV6 =
            Pattern.compile("((?:[A-Za-z0-9_][\\w.-]*@)?)(?:\\[([0-9A-Fa-f:.]+(?:%\\w+)?)]|([0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*))(?::(\\d+))?");
    private static final Pattern WITH_SLOTS = Pattern.compile("([^:\\[\\]]+):(.*)");
    private static final Pattern SITE = Pattern.compile("[\\w.-]+");

    /** The lines of one host so far. */
    private static final class Lines {
        private final List<OptionalInt> slots = new ArrayList<>();
        private OptionalInt maxSlots = OptionalInt.empty();
        private Optional<String> site = Optional.empty();

        /** @throws IllegalArgumentException with the fault, if the lines contradict each other */
        void add(OptionalInt slots, OptionalInt maxSlots, Optional<String> site, String host) {
            this.slots.add(slots);
            if (maxSlots.isPresent() && (this.maxSlots.isEmpty() || maxSlots.getAsInt() < this.maxSlots.getAsInt())) {
                this.maxSlots = maxSlots;
            }
            if (site.isPresent() && this.site.isPresent() && !site.equals(this.site)) {
                throw new IllegalArgumentException(host + " has the site " + this.site.get() + " already");
            }
            this.site = site.or(() -> this.site);
            int sum = slots().orElse(0);
            if (sum > SLOTS_MAX) {
                throw new IllegalArgumentException(host + " has more than " + SLOTS_MAX + " slots");
            }
            if (this.maxSlots.isPresent() && sum > this.maxSlots.getAsInt()) {
                throw new IllegalArgumentException(host + " has " + sum + " slots, more than max-slots=" + this.maxSlots.getAsInt());
            }
        }

        OptionalInt slots() {
            boolean unsaid = slots.size() == 1 && slots.getFirst().isEmpty();
            return unsaid ? OptionalInt.empty() : OptionalInt.of((int) Math.min(Integer.MAX_VALUE, slots.stream().mapToLong(each -> each.orElse(1)).sum()));
        }
    }

    private final List<HostSlots> hosts;

    private HostFile(List<HostSlots> hosts) {
        this.hosts = List.copyOf(hosts);
    }

    /** Reads a file. @throws JobFailure in one line: {@code FILE:LINE: the fault} */
    public static HostFile read(Path file) throws JobFailure {
        try {
            return parse(file.toString(), Files.readString(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new JobFailure("the host file " + file + " cannot be read: " + Causes.text(e), e);
        }
    }

    /** Reads a file's text. @param source the file's name, for messages */
    public static HostFile parse(String source, String text) throws JobFailure {
        Map<String, Lines> hosts = new LinkedHashMap<>();
        List<String> faults = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            try {
                parse(line, hosts);
            } catch (IllegalArgumentException e) {
                faults.add(source + ":" + number + ": " + e.getMessage());
            }
        }
        if (!faults.isEmpty()) {
            String more = faults.size() == 1 ? "" : " (and " + (faults.size() - 1) + (faults.size() == 2 ? " more line" : " more lines") + ")";
            throw new JobFailure(faults.getFirst() + more);
        }
        if (hosts.isEmpty()) {
            throw new JobFailure("the host file " + source + " names no host");
        }
        return new HostFile(hosts.entrySet().stream()
                .map(each -> new HostSlots(each.getKey(), each.getValue().slots(), each.getValue().maxSlots, each.getValue().site))
                .toList());
    }

    private static void parse(String line, Map<String, Lines> hosts) {
        String content = line.replaceFirst("^\uFEFF", "").replaceFirst("#.*", "").replaceAll("\\s*=\\s*", "=").strip();
        if (content.isEmpty()) {
            return;
        }
        String[] words = content.split("\\s+");
        OptionalInt slots = OptionalInt.empty();
        String host = words[0];
        Matcher ipv6 = IPV6.matcher(host);
        Matcher withSlots = WITH_SLOTS.matcher(host);
        if (ipv6.matches()) {
            host = ipv6.group(1) + (ipv6.group(2) == null ? ipv6.group(3) : ipv6.group(2));
            slots = ipv6.group(4) == null ? slots : OptionalInt.of(count(words[0], ipv6.group(4)));
        } else {
            if (withSlots.matches()) {
                host = withSlots.group(1);
                slots = OptionalInt.of(count(words[0], withSlots.group(2)));
            }
            if (!HOST.matcher(host).matches()) {
                throw new IllegalArgumentException("\"" + printable(words[0]) + "\" is no host");
            }
        }
        OptionalInt maxSlots = OptionalInt.empty();
        Optional<String> site = Optional.empty();
        for (int i = 1; i < words.length; i++) {
            String word = words[i];
            String value = word.substring(word.indexOf('=') + 1);
            switch (word.substring(0, word.length() - value.length())) {
                case "slots=" -> {
                    if (slots.isPresent()) {
                        throw new IllegalArgumentException("\"" + printable(word) + "\" says the slots a second time");
                    }
                    slots = OptionalInt.of(count(word, value));
                }
                case "max-slots=", "max_slots=" -> maxSlots = OptionalInt.of(count(word, value));
                case "site=" -> site = Optional.of(site(value));
                default -> throw new IllegalArgumentException(
                        "\"" + printable(word) + "\" is not known: a line is HOST [slots=N] [max-slots=N] [site=NAME], or HOST:N");
            }
        }
        hosts.computeIfAbsent(host, name -> new Lines()).add(slots, maxSlots, site, host);
    }

    private static String site(String name) {
        if (!SITE.matcher(name).matches()) {
            throw new IllegalArgumentException("\"site=" + printable(name) + "\" is no site's name");
        }
        return name;
    }

    private static int count(String word, String digits) {
        if (!digits.matches("[0-9]{1,6}") || Integer.parseInt(digits) < 1 || Integer.parseInt(digits) > SLOTS_MAX) {
            throw new IllegalArgumentException("\"" + printable(word) + "\" has no number of slots from 1 to " + SLOTS_MAX);
        }
        return Integer.parseInt(digits);
    }

    private static String printable(String word) {
        return AgentOutput.printable(word.length() > 60 ? word.substring(0, 60) + "…" : word);
    }

    /** The hosts, in the order of their first lines. */
    public List<HostSlots> hosts() {
        return hosts;
    }
}
