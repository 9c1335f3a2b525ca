package org.posthouse;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.Random;
import java.util.random.RandomGenerator;

/** The arrows of docs/architecture.md, rooms, and the purity of the core, checked on the class files. */
@AnalyzeClasses(
        packages = {"org.posthouse", "mpi", "mpjdev", "mpjbuf", "xdev"},
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
final class ArchitectureTest {
    /** Other rooms' tests come as jars, which the option for tests does not know. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final String[] CORE = {"org.posthouse.core..", "org.posthouse.detector.."};

    private static final String[] LIBRARY = {
        "mpi..", "mpjdev..", "mpjbuf..", "xdev..", "org.posthouse.mpj..", "org.posthouse.wire.."
    };

    private static final DescribedPredicate<JavaClass> OURS =
            resideInAnyPackage("org.posthouse..", "mpi..", "mpjdev..", "mpjbuf..", "xdev..");

    /** What a pure state machine has no use for: threads, sockets, files, clocks, chance. */
    private static final DescribedPredicate<JavaClass> OUTER_WORLD = resideInAnyPackage(
            "java.util.concurrent..",
            "java.net..",
            "java.nio.channels..",
            "java.nio.file..",
            "java.io..",
            "java.time..",
            "java.util.random..")
            .or(JavaClass.Predicates.belongToAnyOf(Thread.class, ThreadLocal.class, Random.class))
            .as("threads, sockets, files, clocks or chance");

    @ArchTest
    static void seesTheClassesOfEveryRoom(JavaClasses all) {
        for (String room : new String[] {"core", "detector", "wire", "mpj", "tunnel", "keys", "causes", "peer", "status", "logstore", "ops"}) {
            assertThat(all.that(resideInAPackage("org.posthouse." + room + "..")))
                    .as("classes in %s", room)
                    .isNotEmpty();
        }
    }

    @ArchTest
    static final ArchRule THE_CORE_KNOWS_THE_WIRE_FORMAT_AND_ITSELF = classes()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.posthouse.wire..", "org.posthouse.core..", "org.posthouse.detector..");

    @ArchTest
    static final ArchRule THE_CORE_IS_PURE = noClasses()
            .that()
            .resideInAPackage("org.posthouse.core..")
            .should()
            .dependOnClassesThat(OUTER_WORLD);

    /** Chance is given to a detector, which makes none itself. */
    @ArchTest
    static final ArchRule DETECTORS_ARE_PURE = noClasses()
            .that()
            .resideInAPackage("org.posthouse.detector..")
            .should()
            .dependOnClassesThat(OUTER_WORLD.and(DescribedPredicate.not(JavaClass.Predicates.belongToAnyOf(RandomGenerator.class))));

    @ArchTest
    static final ArchRule THE_CORE_ASKS_NO_CLOCK = noClasses()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Math.class, "random");

    @ArchTest
    static final ArchRule FRAMES_KNOW_NEITHER_SOCKETS_NOR_ANYONE = classes()
            .that()
            .resideInAPackage("org.posthouse.wire..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("java.lang..", "java.util", "java.nio", "java.nio.charset", "java.security", "java.util.zip")
                    .or(resideInAPackage("org.posthouse.wire.."))
                    .or(JavaClass.Predicates.belongToAnyOf(InetAddress.class, InetSocketAddress.class, UnknownHostException.class))
                    .as("belong to the wire room or are values, addresses, buffers, charsets and checksums"));

    @ArchTest
    static final ArchRule THE_LIBRARY_BRINGS_NOTHING_WITH_IT = classes()
            .that()
            .resideInAnyPackage(LIBRARY)
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("java..", "javax.net.ssl..", "jdk.net..").or(resideInAnyPackage(LIBRARY)).as("are Java's or the library's"));

    @ArchTest
    static final ArchRule NAMES_FOR_STRAY_IMPORTS_DO_NOTHING = classes()
            .that()
            .resideInAnyPackage("mpjdev..", "mpjbuf..", "xdev..")
            .should()
            .onlyDependOnClassesThat(resideInAPackage("java.lang.."));

    @ArchTest
    static final ArchRule THE_TUNNEL_KNOWS_FRAMES_ONLY =
            knows("org.posthouse.tunnel..", "org.posthouse.tunnel..", "org.posthouse.keys..", "org.posthouse.causes..", "org.posthouse.audit..",
                    "org.posthouse.peer..", "org.posthouse.status..",
                    "org.posthouse.wire..");

    @ArchTest
    static final ArchRule KEYS_KNOW_NO_LINKS =
            knows("org.posthouse.keys..", "org.posthouse.keys..", "org.posthouse.causes..", "org.posthouse.audit..", "org.posthouse.status..",
                    "org.posthouse.wire..");

    @ArchTest
    static final ArchRule PEERS_KNOW_NOBODY = knows("org.posthouse.peer..", "org.posthouse.peer..");

    @ArchTest
    static final ArchRule CAUSES_KNOW_NOBODY = knows("org.posthouse.causes..", "org.posthouse.causes..");

    @ArchTest
    static final ArchRule THE_AUDIT_KNOWS_NOBODY = knows("org.posthouse.audit..", "org.posthouse.audit..");

    @ArchTest
    static final ArchRule NO_RELAY_KNOWS_THE_EMULATED_NETWORK = noClasses()
            .that()
            .resideOutsideOfPackage("org.posthouse.wan..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.posthouse.wan..");

    @ArchTest
    static final ArchRule THE_EMULATED_NETWORK_KNOWS_NOBODY = knows("org.posthouse.wan..", "org.posthouse.wan..");

    @ArchTest
    static final ArchRule THE_LOG_STORE_KNOWS_NOBODY = knows("org.posthouse.logstore..", "org.posthouse.logstore..");

    @ArchTest
    static final ArchRule THE_STATUS_KNOWS_NOBODY = knows("org.posthouse.status..", "org.posthouse.status..");

    @ArchTest
    static final ArchRule THE_CONSOLE_KNOWS_THE_STATUS_AND_WORDS_FOR_FAILURES_ONLY =
            knows("org.posthouse.ops..", "org.posthouse.ops..", "org.posthouse.status..", "org.posthouse.causes..");

    @ArchTest
    static final ArchRule PACKAGES_KNOW_EACH_OTHER_ONE_WAY = slices().matching("(**)").should().beFreeOfCycles();

    /** Or a crash of the host could take its name. What is spare may be lost. */
    @ArchTest
    static final ArchRule THE_LOG_STORE_MAKES_FOLDERS_THAT_LAST = noClasses()
            .that()
            .resideInAPackage("org.posthouse.logstore..")
            .and()
            .doNotHaveSimpleName("SpareFiles")
            .should()
            .callMethod(Files.class, "createDirectories", Path.class, FileAttribute[].class);

    @ArchTest
    static final ArchRule THE_LOG_STORE_KNOWS_NO_SOCKETS = noClasses()
            .that()
            .resideInAPackage("org.posthouse.logstore..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.net..", "io.netty..", "io.vertx..");

    /** Of our own classes, those in {@code room} know only those in {@code known}. */
    private static ArchRule knows(String room, String... known) {
        return classes()
                .that()
                .resideInAPackage(room)
                .should()
                .onlyDependOnClassesThat(DescribedPredicate.not(OURS).or(resideInAnyPackage(known)).as("are its own or not ours"));
    }
}
