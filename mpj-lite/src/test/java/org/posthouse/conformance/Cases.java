package org.posthouse.conformance;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import mpi.Intracomm;

/** All cases, in an order that is the same in every process. */
final class Cases {
    /** Those that need nothing but a communicator. */
    private static final List<Class<?>> ANYWHERE = List.of(
            BasicDatatypes.class,
            Collectives.class,
            Communicators.class,
            Constants.class,
            DerivedDatatypes.class,
            Failures.class,
            Groups.class,
            IntercommunicatorCollectives.class,
            Intercommunicators.class,
            LongerCounts.class,
            Neighbourhoods.class,
            Named.class,
            NioBuffers.class,
            NonBlockingCollectives.class,
            OpenMpiCollectives.class,
            OpenMpiInPlace.class,
            OpenMpiMessages.class,
            OpenMpiNonBlocking.class,
            OpenMpiRequests.class,
            Packing.class,
            Persistent.class,
            Receives.class,
            Records.class,
            Reductions.class,
            Requests.class,
            SendModes.class,
            Statuses.class,
            Structs.class,
            Tolerances.class,
            Topologies.class,
            UserFunctions.class,
            Values.class,
            WrongArguments.class);

    /** Those that need what Init sets. */
    private static final List<Class<?>> IN_A_JOB = List.of(
            BufferedSends.class, Checkpoints.class, Environment.class, Ports.class);

    private Cases() {}

    static List<Case> anywhere() {
        return of(ANYWHERE);
    }

    static List<Case> inAJob() {
        return of(IN_A_JOB);
    }

    /** Those after which there is no job. */
    static List<Case> ending() {
        return of(List.of(Endings.class));
    }

    /** What the job does around its cases. */
    static Case ofTheJobItself() {
        try {
            return new Case(ConformanceJob.class.getMethod("main", String[].class));
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Case> of(List<Class<?>> classes) {
        return classes.stream().flatMap(Cases::of).toList();
    }

    private static Stream<Case> of(Class<?> area) {
        return Arrays.stream(area.getDeclaredMethods())
                .filter(method -> Modifier.isStatic(method.getModifiers()))
                .filter(method -> !Modifier.isPrivate(method.getModifiers()) && !method.isSynthetic())
                .filter(method -> Arrays.equals(method.getParameterTypes(), new Class<?>[] {Intracomm.class}))
                .sorted(Comparator.comparing(Method::getName))
                .map(Case::new);
    }
}
