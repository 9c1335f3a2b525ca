package org.posthouse.launch.provision;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.posthouse.launch.job.JobFailure;

/**
 * The command that brings an agent to a host, as {@code ssh {host}} or {@code srun --overlap -w {host} -n1}. The
 * template is divided into words as a shell would, but no shell runs it. {@code {host}} stands for the host, and the
 * agent's command takes one of three places:
 *
 * <ul>
 *   <li>{@code {words}}, a word of its own: the agent's words as they are, for programs that execute them.
 *   <li>{@code {command}}, also inside a word: the agent's words as one text, quoted for a shell, for programs that hand
 *       it to a shell ({@code ssh {host} {command}}).
 *   <li>neither: the agent's words come last. {@code ssh} and its like get them quoted, since they join their arguments
 *       for a shell of the other host; programs known to execute them get them as they are. Of other programs nobody
 *       knows it, and a word that needs quotes is refused.
 * </ul>
 *
 * Immutable.
 */
final class CommandTemplate {
    private static final String HOST = "{host}";
    private static final String COMMAND = "{command}";
    private static final String WORDS = "{words}";

    private static final Set<String> THROUGH_A_SHELL = Set.of("ssh", "rsh", "remsh", "gsissh", "autossh", "oarsh");
    private static final Set<String> EXECUTE = Set.of("srun", "kubectl", "oc", "docker", "podman", "nerdctl", "nsenter", "ip", "aprun", "jsrun", "pbsdsh");

    /** Words that mean themselves in every shell. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+:,./=-]+");

    private final String template;
    private final List<String> words;

    private CommandTemplate(String template, List<String> words) {
        this.template = template;
        this.words = words;
    }

    /** @throws JobFailure in one line, if it is no command or does not name the host */
    static CommandTemplate parse(String template) throws JobFailure {
        List<String> words = split(template);
        if (words.stream().noneMatch(word -> word.contains(HOST))) {
            throw fault(template, "does not say where the host stands: {host}");
        }
        if (words.getFirst().contains(COMMAND) || words.getFirst().equals(WORDS)) {
            throw fault(template, "does not begin with a program");
        }
        if (words.stream().anyMatch(word -> word.contains(WORDS) && !word.equals(WORDS))) {
            throw fault(template, "has {words} inside of a word: {command} may stand there");
        }
        return new CommandTemplate(template, words);
    }

    private static JobFailure fault(String template, String fault) {
        return new JobFailure("--launch-agent '" + AgentOutput.printable(template) + "' " + fault);
    }

    /** As the POSIX shell divides words, with quotes and backslashes, and without expansions. */
    private static List<String> split(String template) throws JobFailure {
        return split(template, "--launch-agent");
    }

    /** The same, of the value of another option. */
    static List<String> split(String template, String option) throws JobFailure {
        List<String> words = new ArrayList<>();
        StringBuilder word = null;
        char quote = 0;
        for (int i = 0; i < template.length(); i++) {
            char next = template.charAt(i);
            boolean escaped = next == '\\' && quote != '\'' && i + 1 < template.length()
                    && (quote == 0 || "\"\\$`".indexOf(template.charAt(i + 1)) >= 0);
            if (quote == 0 && Character.isWhitespace(next)) {
                if (word != null) {
                    words.add(word.toString());
                    word = null;
                }
                continue;
            }
            word = word == null ? new StringBuilder() : word;
            if (escaped) {
                word.append(template.charAt(++i));
            } else if (quote == 0 && (next == '\'' || next == '"')) {
                quote = next;
            } else if (quote != 0 && next == quote) {
                quote = 0;
            } else {
                word.append(next);
            }
        }
        if (quote != 0) {
            throw new JobFailure(option + " '" + AgentOutput.printable(template) + "' has a quote without its end");
        }
        if (word != null) {
            words.add(word.toString());
        }
        return words;
    }

    /**
     * The command for one host.
     *
     * @param agent the agent's command
     * @throws JobFailure in one line, if nobody knows whether a word of the agent's needs quotes
     */
    List<String> command(String host, List<String> agent) throws JobFailure {
        List<String> command = new ArrayList<>();
        boolean placed = false;
        for (String word : words) {
            if (word.equals(WORDS)) {
                command.addAll(agent);
                placed = true;
            } else {
                placed |= word.contains(COMMAND);
                command.add(word.replace(HOST, host).replace(COMMAND, quoted(agent)));
            }
        }
        if (!placed) {
            command.addAll(last(agent));
        }
        return command;
    }

    private List<String> last(List<String> agent) throws JobFailure {
        if (names(THROUGH_A_SHELL)) {
            return agent.stream().map(CommandTemplate::quoted).toList();
        }
        if (!names(EXECUTE)) {
            for (String word : agent) {
                if (!PLAIN.matcher(word).matches()) {
                    throw fault(template, "does not say whether a shell reads the agent's word " + quoted(word)
                            + ": add {command} if one does, or {words} if none does");
                }
            }
        }
        return agent;
    }

    private boolean names(Set<String> programs) {
        return words.stream().map(word -> word.substring(word.lastIndexOf('/') + 1)).anyMatch(programs::contains);
    }

    private static String quoted(List<String> words) {
        return words.stream().map(CommandTemplate::quoted).collect(Collectors.joining(" "));
    }

    /** A word for the POSIX shell. */
    static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    @Override
    public String toString() {
        return template;
    }
}
