#include "textflag.h"

// Which bytes may stand behind a backslash: a byte is one of them when the
// entries of its two halves have a bit in common. One bit a high half: 0x2_ is
// 1 (quote, slash), 0x5_ is 2 (backslash), 0x6_ is 4 (b, f, n), 0x7_ is 8
// (r, t, u).
DATA lowHalf<>+0(SB)/8, $0x00040808000D0000
DATA lowHalf<>+8(SB)/8, $0x0104000200000000
DATA lowHalf<>+16(SB)/8, $0x00040808000D0000
DATA lowHalf<>+24(SB)/8, $0x0104000200000000
GLOBL lowHalf<>(SB), RODATA|NOPTR, $32
DATA highHalf<>+0(SB)/8, $0x0804020000010000
DATA highHalf<>+8(SB)/8, $0
DATA highHalf<>+16(SB)/8, $0x0804020000010000
DATA highHalf<>+24(SB)/8, $0
GLOBL highHalf<>(SB), RODATA|NOPTR, $32

#define BROADCAST(byte8, x, y) \
	MOVQ         $byte8, AX \
	VMOVQ        AX, x      \
	VPBROADCASTQ x, y

// BITS makes one word of the top bits of two registers of 32 bytes.
#define BITS(low, high, into, spare) \
	VPMOVMSKB low, into    \
	VPMOVMSKB high, spare  \
	SHLQ      $32, spare   \
	ORQ       spare, into

// CONTROLS sets a byte of two registers where one of Y8 and Y9 is below 0x20.
#define CONTROLS(low, high)   \
	VPMINUB  Y2, Y8, low  \
	VPMINUB  Y2, Y9, high \
	VPCMPEQB low, Y8, low \
	VPCMPEQB high, Y9, high

// EQUALS makes one word of the bytes of Y8 and Y9 that are those of a register.
#define EQUALS(to, into, spare) \
	VPCMPEQB to, Y8, Y10    \
	VPCMPEQB to, Y9, Y11    \
	BITS(Y10, Y11, into, spare)

// func markBlocks(p *byte, blocks int, ends, unicode *uint64, carry uint64) (done, control int, carried, faulty, escapes uint64)
//
// AX quotes, BX backslashes, DX spare, R9 carry, R11 the odd bits, R12 escaped
// bytes.
TEXT ·markBlocks(SB), NOSPLIT, $0-80
	MOVQ p+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ ends+16(FP), DI
	MOVQ unicode+24(FP), R8
	MOVQ carry+32(FP), R9
	MOVQ CX, done+40(FP)
	MOVQ $-1, control+48(FP)
	MOVQ $0, faulty+64(FP)
	MOVQ $0, escapes+72(FP)
	MOVQ $0xAAAAAAAAAAAAAAAA, R11
	BROADCAST(0x2222222222222222, X0, Y0)
	BROADCAST(0x5C5C5C5C5C5C5C5C, X1, Y1)
	BROADCAST(0x1F1F1F1F1F1F1F1F, X2, Y2)
	BROADCAST(0x0F0F0F0F0F0F0F0F, X5, Y5)
	BROADCAST(0x7575757575757575, X6, Y6)
	VMOVDQU lowHalf<>(SB), Y3
	VMOVDQU highHalf<>(SB), Y4
	VPXOR Y15, Y15, Y15

block:
	// A file that was just read is in memory but not yet near the processor.
	PREFETCHT0 2048(SI)
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	CONTROLS(Y10, Y11)
	VPOR    Y10, Y11, Y12
	VPTEST  Y12, Y12
	JNZ     stop
	EQUALS(Y0, AX, DX)
	EQUALS(Y1, BX, DX)

masked:
	MOVQ BX, DX
	ORQ  R9, DX
	JNZ  escaped
	MOVQ AX, (DI)
	MOVQ $0, (R8)

next:
	ADDQ $64, SI
	ADDQ $8, DI
	ADDQ $8, R8
	DECQ CX
	JNZ  block
	MOVQ R9, carried+56(FP)
	VZEROUPPER
	RET

stop:
	// The end of a line, nearly always. What is before it is marked, too.
	SUBQ CX, done+40(FP)
	BITS(Y10, Y11, R10, DX)
	BSFQ R10, DX
	MOVQ DX, control+48(FP)
	LEAQ -1(R10), DX
	NOTQ R10
	ANDQ DX, R10
	EQUALS(Y0, AX, DX)
	EQUALS(Y1, BX, DX)
	ANDQ R10, AX
	ANDQ R10, BX
	MOVQ $1, CX
	JMP  masked

escaped:
	// Of a run of backslashes every other one, from its first on, escapes the
	// byte behind it. Subtracting the starts from all odd bits lets a borrow
	// run through each, which tells odd places from even ones without a loop.
	MOVQ R9, R12
	NOTQ R12
	ANDQ BX, R12
	LEAQ (R12)(R12*1), R13
	ORQ  R11, R13
	SUBQ R12, R13
	XORQ R11, R13
	MOVQ BX, R12
	ORQ  R9, R12
	XORQ R13, R12
	ANDQ BX, R13
	SHRQ $63, R13
	MOVQ R13, R9
	MOVQ R12, DX
	NOTQ DX
	ANDQ DX, AX
	MOVQ AX, (DI)

	// What is escaped must be a letter of the list.
	VPSHUFB  Y8, Y3, Y10
	VPSHUFB  Y9, Y3, Y11
	VPSRLW   $4, Y8, Y12
	VPSRLW   $4, Y9, Y13
	VPAND    Y5, Y12, Y12
	VPAND    Y5, Y13, Y13
	VPSHUFB  Y12, Y4, Y12
	VPSHUFB  Y13, Y4, Y13
	VPAND    Y10, Y12, Y10
	VPAND    Y11, Y13, Y11
	VPCMPEQB Y15, Y10, Y10
	VPCMPEQB Y15, Y11, Y11
	BITS(Y10, Y11, BX, DX)
	ANDQ     R12, BX
	ORQ      BX, faulty+64(FP)
	VPCMPEQB Y6, Y8, Y10
	VPCMPEQB Y6, Y9, Y11
	BITS(Y10, Y11, BX, DX)
	ANDQ     R12, BX
	MOVQ     BX, (R8)
	ORQ      BX, escapes+72(FP)
	JMP      next

// func hasAVX2() bool
//
// Leaf 1 tells of AVX and that the system saves registers, XGETBV of which
// ones, and leaf 7 of AVX2.
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB  $0, ret+0(FP)
	XORL  AX, AX
	XORL  CX, CX
	CPUID
	CMPL  AX, $7
	JLT   done
	MOVL  $1, AX
	XORL  CX, CX
	CPUID
	ANDL  $(1<<27 | 1<<28), CX
	CMPL  CX, $(1<<27 | 1<<28)
	JNE   done
	XORL  CX, CX
	XGETBV
	ANDL  $6, AX
	CMPL  AX, $6
	JNE   done
	MOVL  $7, AX
	XORL  CX, CX
	CPUID
	SHRL  $5, BX
	ANDL  $1, BX
	MOVB  BX, ret+0(FP)

done:
	RET
