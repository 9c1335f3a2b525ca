package org.posthouse.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import mpi.Comm;
import mpi.MPI;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Which members of package mpi a case calls, read from class files: in the case's method, its lambdas, and whatever of
 * this package they call. Objects of this package that are made count with all their methods, as mpi calls them back.
 */
final class CaseScan {
    private static final String HERE = CaseScan.class.getPackageName().replace('.', '/') + "/";

    /** A method in a class file. */
    private record Code(String owner, String name, String descriptor) {}

    private final Api offer;
    /** What each class's methods refer to; filled class by class. */
    private final Map<String, Map<Code, Set<Object>>> classes = new HashMap<>();

    CaseScan(Api api) {
        offer = api;
    }

    /** The members that a case uses; true if in its own class, not only in what others share. */
    Map<ApiMember, Boolean> members(Case each) throws IOException {
        Code start = new Code(
                Type.getInternalName(each.method().getDeclaringClass()), each.method().getName(),
                Type.getMethodDescriptor(each.method()));
        Map<ApiMember, Boolean> found = new HashMap<>();
        Set<Code> seen = new HashSet<>(Set.of(start));
        Deque<Code> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            Code code = open.poll();
            for (Object used : uses(code)) {
                if (used instanceof ApiMember member) {
                    found.merge(member, code.owner().startsWith(start.owner()), Boolean::logicalOr);
                } else if (seen.add((Code) used)) {
                    open.add((Code) used);
                }
            }
        }
        return found;
    }

    private Set<Object> uses(Code code) throws IOException {
        return classFile(code.owner()).getOrDefault(code, Set.of());
    }

    private Map<Code, Set<Object>> classFile(String name) throws IOException {
        Map<Code, Set<Object>> methods = classes.get(name);
        if (methods == null) {
            methods = new HashMap<>();
            classes.put(name, methods);
            try (InputStream in = CaseScan.class.getResourceAsStream("/" + name + ".class")) {
                int skipped = ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES;
                new ClassReader(in).accept(new ClassScan(name, methods), skipped);
            }
        }
        return methods;
    }

    private static Class<?> load(Type type) {
        return switch (type.getSort()) {
            case Type.BOOLEAN -> boolean.class;
            case Type.CHAR -> char.class;
            case Type.BYTE -> byte.class;
            case Type.SHORT -> short.class;
            case Type.INT -> int.class;
            case Type.FLOAT -> float.class;
            case Type.LONG -> long.class;
            case Type.DOUBLE -> double.class;
            case Type.ARRAY -> Api.load(type.getDescriptor().replace('/', '.'));
            default -> Api.load(type.getClassName());
        };
    }

    /** Reads one class. */
    private final class ClassScan extends ClassVisitor {
        private final String owner;
        private final Map<Code, Set<Object>> methods;

        ClassScan(String owner, Map<Code, Set<Object>> methods) {
            super(Opcodes.ASM9);
            this.owner = owner;
            this.methods = methods;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            Set<Object> uses = new HashSet<>();
            methods.put(new Code(owner, name, descriptor), uses);
            MethodScan scan = new MethodScan(uses);
            if (!name.startsWith("<")) {
                // A method of mpi that a program overrides is one that mpi calls.
                scan.useOfMpi(owner, name, descriptor);
            }
            return scan;
        }
    }

    /** Reads one method. */
    private final class MethodScan extends MethodVisitor {
        private final Set<Object> uses;

        MethodScan(Set<Object> uses) {
            super(Opcodes.ASM9);
            this.uses = uses;
        }

        private void useOfMpi(String owner, String name, String descriptor) {
            Class<?> type = load(Type.getObjectType(owner));
            Class<?>[] all = Arrays.stream(Type.getArgumentTypes(descriptor)).map(CaseScan::load).toArray(Class<?>[]::new);
            boolean inner = name.equals("<init>") && all.length > 0 && all[0] == type.getEnclosingClass();
            use(ApiMember.method(type, name, inner ? Arrays.copyOfRange(all, 1, all.length) : all));
        }

        private void use(ApiMember named) {
            // A constructor is not inherited: that of a program's subclass is no member.
            boolean foreign = named.name().equals("<init>") && !offer.members().contains(named);
            ApiMember member = foreign ? null : offer.resolve(named);
            if (member != null) {
                uses.add(member);
            }
        }

        private void useOfMethod(String owner, String name, String descriptor) {
            if (owner.startsWith("[")) {
                return;
            }
            if (owner.startsWith(HERE)) {
                uses.add(new Code(owner, name, descriptor));
            }
            if (owner.startsWith(HERE) || owner.startsWith("mpi/")) {
                useOfMpi(owner, name, descriptor);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            useOfMethod(owner, name, descriptor);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode == Opcodes.NEW && type.startsWith(HERE)) {
                for (Method method : load(Type.getObjectType(type)).getDeclaredMethods()) {
                    uses.add(new Code(type, method.getName(), Type.getMethodDescriptor(method)));
                }
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            for (Object argument : arguments) {
                if (argument instanceof Handle handle && handle.getTag() >= Opcodes.H_INVOKEVIRTUAL) {
                    useOfMethod(handle.getOwner(), handle.getName(), handle.getDesc());
                }
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            if (owner.startsWith("mpi/")) {
                use(ApiMember.field(load(Type.getObjectType(owner)), name));
            }
        }

        @Override
        public void visitLdcInsn(Object value) {
            // The compiler leaves no trace of MPI's numbers: cases ask for them by name.
            if (value instanceof String name && name.matches("[A-Z_]+")) {
                use(ApiMember.field(MPI.class, name));
                use(ApiMember.field(Comm.class, name));
            }
        }
    }
}
