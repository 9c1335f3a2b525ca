package org.posthouse.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** The Java of this process, and the flags that a relay's JVM needs. Stateless. */
final class JavaCheck {
    private static final int FEATURE_MIN = 25;

    private JavaCheck() {}

    /**
     * Checks a JVM.
     *
     * @param feature its feature release
     * @param flags its flags
     * @param needed those that a relay needs
     */
    static List<Finding> check(int feature, String version, List<String> flags, List<String> needed) {
        List<Finding> findings = new ArrayList<>();
        findings.add(feature >= FEATURE_MIN
                ? Finding.ok("java", version)
                : Finding.fail("java", version + ", expected " + FEATURE_MIN + " or later",
                        "install a JDK " + FEATURE_MIN + ", or name one in POSTHOUSE_JAVA_HOME"));
        List<String> missing = needed.stream().filter(flag -> !flags.contains(flag)).toList();
        findings.add(missing.isEmpty()
                ? Finding.ok("jvm flags", "all " + needed.size() + " that a relay needs")
                : Finding.fail("jvm flags", "missing: " + String.join(" ", missing), "start relays with the posthouse script, which passes them"));
        return findings;
    }
}
