package org.posthouse.launch.install;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The flags of a JVM that are the user's and not ours: on its command line, and in the variables where it finds more. */
public record UserFlags(List<String> words) {
    private static final List<String> VARIABLES = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    /** Names a file with more of them. */
    private static final Pattern ELSEWHERE = Pattern.compile("@.*|-XX:(Flags|VMOptionsFile)=.*");

    /** @param environment what the JVM has of it that this process has not, or has otherwise */
    public static UserFlags of(List<String> flags, Map<String, String> environment) {
        Stream<String> elsewhere = VARIABLES.stream()
                .map(variable -> environment.getOrDefault(variable, System.getenv().getOrDefault(variable, "")))
                .flatMap(value -> Stream.of(value.split("[\\s\"']+")));
        return new UserFlags(Stream.concat(flags.stream(), elsewhere).toList());
    }

    /** Whether one of them is such a flag, or may be: what a file has of them is not known. */
    public boolean mayHave(Pattern flag) {
        return words.stream().anyMatch(word -> flag.matcher(word).matches() || ELSEWHERE.matcher(word).matches());
    }
}
